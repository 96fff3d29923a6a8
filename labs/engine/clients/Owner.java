
/** Raised where the work of the application is to fail, because the owner wants that. */
class ToldToFail extends org.apache.kafka.common.KafkaException {
    ToldToFail(String why) {
        super(why);
    }
}

/**
 * The owner of an application, on its standard streams (control.py): whole lines, in their order.
 * Appended to each application's file, as Janino compiles one: so there are no imports here.
 */
class Owner {
    static java.util.concurrent.CountDownLatch gate = new java.util.concurrent.CountDownLatch(0);
    static String point = "";
    static boolean failing;
    static volatile boolean ended;

    /** Obeys until it is told to stop; then whoever stands still goes on. Left alone it ends as if killed. */
    static void hear() throws java.io.IOException {
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

    /** Stands still at a point of the work if the owner wants that. */
    static void reach(String here) {
        java.util.concurrent.CountDownLatch shut = shut(here);
        if (shut == null) {
            return;
        }
        say("standing " + here);
        try {
            shut.await();
        } catch (InterruptedException interrupted) {
            throw new RuntimeException(interrupted);
        }
        say("going");
        if (toldToFail()) {
            throw new ToldToFail("the work failed at " + here);
        }
    }

    static synchronized java.util.concurrent.CountDownLatch shut(String here) {
        return here.equals(point) ? gate : null;
    }

    static synchronized void hold(String here) {
        point = here;
        if (gate.getCount() == 0L) { // else somebody may stand at it
            gate = new java.util.concurrent.CountDownLatch(1);
        }
    }

    static synchronized void release(boolean fails) {
        point = "";
        failing = fails;
        gate.countDown();
    }

    static synchronized boolean toldToFail() {
        boolean told = failing;
        failing = false;
        return told;
    }

    /** Says a line, or several, in one write. */
    static synchronized void say(String words) {
        System.out.print(words + "\n");
        System.out.flush();
    }
}
