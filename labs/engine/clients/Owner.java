
/** The work of the application fails here because the owner requested it. */
class FailureRequested extends org.apache.kafka.common.KafkaException {
    FailureRequested(String why) {
        super(why);
    }
}

/**
 * The owner of an application, on its standard streams (control.py): whole lines, in order.
 * Appended to each application's file, since Janino compiles a single file; hence no imports.
 */
class Owner {
    static java.util.concurrent.CountDownLatch gate = new java.util.concurrent.CountDownLatch(0);
    static String point = "";
    static boolean failing;
    static volatile boolean ended;

    /** Handles commands until `stop`; then a held thread continues. If the input ends, exits as if killed. */
    static void listen() throws java.io.IOException {
        java.io.BufferedReader lines = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
        String line = lines.readLine();
        while (line != null && !line.equals("stop")) {
            if (line.startsWith("hold ")) {
                hold(line.substring(5));
            } else if (line.equals("go") || line.equals("fail")) {
                release(line.equals("fail"));
            }
            line = lines.readLine();
        }
        if (line == null) {
            Runtime.getRuntime().halt(1);
        }
        ended = true;
        release(false);
    }

    /** Waits at a point of the work if the owner holds it; may throw FailureRequested. */
    static void reach(String here) {
        java.util.concurrent.CountDownLatch held = gateAt(here);
        if (held == null) {
            return;
        }
        report("standing " + here);
        try {
            held.await();
        } catch (InterruptedException interrupted) {
            throw new RuntimeException(interrupted);
        }
        report("going");
        if (takeFailure()) {
            throw new FailureRequested("the work failed at " + here);
        }
    }

    static synchronized java.util.concurrent.CountDownLatch gateAt(String here) {
        return here.equals(point) ? gate : null;
    }

    static synchronized void hold(String here) {
        point = here;
        if (gate.getCount() == 0L) { // else a thread may be waiting at it
            gate = new java.util.concurrent.CountDownLatch(1);
        }
    }

    static synchronized void release(boolean fails) {
        point = "";
        failing = fails;
        gate.countDown();
    }

    static synchronized boolean takeFailure() {
        boolean requested = failing;
        failing = false;
        return requested;
    }

    /** Writes one or more lines in one write. */
    static synchronized void report(String words) {
        System.out.print(words + "\n");
        System.out.flush();
    }
}
