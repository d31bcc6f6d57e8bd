/**
 * A seeded simulator of servers and clients, but for sockets, threads and disks: requests and
 * replies are the bytes of the protocol, and both ends of a connection are production code.
 *
 * <pre>
 *   Worker, Janitor, Sweeper --&gt; SimulatedClient --&gt; Link --&gt; SimulatedServer --&gt; SimulatedLedgers
 *         |                  (production client)     (production member, front,     |
 *         v                              oracle, sequencer, log protocol, recovery)   |
 *   VersionedTable &lt;--- RowReader                                                     |
 *         |                                                                           v
 *         +-----------------------------&gt;  History  &lt;------------- what can no longer be lost
 * </pre>
 *
 * <p>Ledgers are copies on single bookies with journals, write and acknowledgement quorums, fences
 * and a recovery that reads and writes the tail again: {@link io.retso.simulator.Bookie}, {@link
 * io.retso.simulator.LedgerRecovery}. Bookies crash, are slow, refuse writes, and are cut off from
 * a server one by one.
 *
 * <p>Servers are members of a group, as {@link io.retso.member} makes them: standbys follow the
 * log, suspect the leader, and take over; leaders hand over, or are deposed and go on as standbys.
 * Only they decide who leads. What they know of each other comes from registrations in ZooKeeper
 * ({@link io.retso.simulator.Registry}: sessions lapse, watches are late) and from the leader's
 * port ({@link io.retso.simulator.PortWatch}: it may be closed although its process lives). Clients
 * reach all servers, or one at a time, through a balancer that is wrong now and then.
 *
 * <p>{@link io.retso.simulator.Faults} makes everything happen that can: servers that are killed,
 * paused, asleep, deposed or restarted with other sizes, several leaders at once, connections that
 * break with requests and replies on their way, connections whose end a server does not hear of, as
 * it does not read from them, acknowledgements that are lost, a catalog that fails after it was
 * replaced, or refuses the repetition of what it has done, and that is read late, servers that are
 * cut off from bookies, catalog or clients, in one direction or both, while others go on, clocks of
 * different rates, which stand still or are set forward and back, clients that die between any two
 * steps. No process blocks: calls of several servers to the log are under way at a time and are
 * answered in any order. {@link io.retso.simulator.History} judges every answer against the log,
 * which is the truth, and against every later truth: once as it arrives at a client, and once as
 * the client's caller learns.
 *
 * <p>In half of the worlds most transactions are serializable, and some readers have safe
 * snapshots: {@link io.retso.simulator.SerialOrder} looks for cycles of dependencies among what is
 * committed in the log.
 *
 * <p>One thread, virtual time, one random number generator: a seed replays exactly. {@link
 * io.retso.simulator.SimulatorTest} has the command line; {@link
 * io.retso.simulator.InjectedBugsTest} shows that the judge is awake.
 *
 * <p>Not simulated: entries that are damaged on disk, ledgers that are lost, bytes that break the
 * protocol.
 */
package io.retso.simulator;
