// Three replicas of one partition, a message a tick, until their leader dies. It counts; what is
// permitted is the advisor's word, and a test holds the two against each other in every state.

export const RATE = 10
const LEADER = 1, HISTORY_S = 90
const IN_STEP = "in-step", BEHIND = "behind", OUT = "out"

// Where a follower is that was last caught up so many seconds ago.
export function where(lag, lagMax) {
  return lag <= 0 ? IN_STEP : lag <= lagMax ? BEHIND : OUT
}

// The state's name in the advisor's table.
export function key({ acks, minIsr, unclean, eligible, lags }, lagMax) {
  const rules = [unclean ? "unclean" : "clean", eligible ? "eligible" : "plain"]
  return [acks, minIsr, ...rules, ...[2, 3].map(id => where(lags[id], lagMax))].join("/")
}

// The partition as it stands when the leader is about to die. `acknowledged`: how many messages the
// producer takes for done.
export function before(state, lagMax) {
  const { acks, minIsr, lags } = state, now = HISTORY_S * RATE
  const ends = { 1: 0, 2: 0, 3: 0 }
  let isr = [1, 2, 3], elr = [], high = 0, refused = false
  for (let tick = 1; tick <= now; tick++) {
    const silent = id => id !== LEADER && lags[id] > 0 && tick > now - lags[id] * RATE
    const fallen = isr.filter(id => silent(id) && tick - (now - lags[id] * RATE) > lagMax * RATE)
    if (fallen.length) {
      isr = isr.filter(id => !fallen.includes(id))
      if (state.eligible && isr.length < minIsr) elr = [...elr, ...fallen]
    }
    refused = acks === "all" && isr.length < minIsr
    // A follower has a message one tick after the leader.
    for (const id of [2, 3]) if (!silent(id)) ends[id] = ends[LEADER]
    if (!refused) ends[LEADER]++
    if (isr.length >= minIsr) high = Math.max(high, Math.min(...isr.map(id => ends[id])))
  }
  // With acks=0 a message counts as done when it leaves the client; one is on its way.
  const acknowledged = acks === "0" ? ends[LEADER] + 1 : acks === "1" ? ends[LEADER] : high
  return { ends, isr, elr, high, acknowledged, refused, hidden: isr.length < minIsr }
}

// Who leads after the leader's death. Followers in sync wake up and one leads, the lowest id of
// them. Those out of sync come back one by one, the one that fell behind first before the other:
// the worst that may happen. None may lead but an eligible one, or with unclean election any.
export function successor(state, { isr, elr }) {
  const inSync = isr.find(id => id !== LEADER)
  if (inSync) return { leader: inSync, how: "in sync" }
  const back = [3, 2].sort((one, other) => state.lags[other] - state.lags[one])
  for (const id of back) {
    if (elr.includes(id)) return { leader: id, how: "eligible" }
    if (state.unclean) return { leader: id, how: "unclean" }
  }
  return { leader: null, how: "nobody" }
}

// The whole: the partition before, who leads next, and what is gone by that.
export function play(state, lagMax) {
  const at = before(state, lagMax), next = successor(state, at)
  // Without another leader the old one returns with its log; what never reached it is gone.
  const end = next.leader === null ? at.ends[LEADER] : at.ends[next.leader]
  return { ...at, ...next, end, lost: Math.max(0, at.acknowledged - end), unread: Math.max(0, at.high - end) }
}
