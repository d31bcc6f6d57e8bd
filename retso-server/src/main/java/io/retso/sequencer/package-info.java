/**
 * The only writer: it takes requests to the oracle, what the oracle changed to the log, and says
 * when replies may leave.
 *
 * <p>{@link io.retso.sequencer.Sequencer} is an agent without a thread: the network's event loop
 * calls it, and so does a simulator. Its {@link io.retso.sequencer.LogWriter} fills entries of an
 * {@link io.retso.sequencer.EntryRing} and keeps a {@link io.retso.sequencer.Reservation} of
 * timestamps ahead of what is issued. {@link io.retso.sequencer.Recovery} applies a log to an
 * oracle.
 *
 * <pre>
 *   requests --&gt; Sequencer --&gt; StatusOracle --&gt; LogEntry --&gt; CommitLog
 *                   |                                            |
 *   replies held at position p  &lt;--------- durable(p) &lt;----------+
 * </pre>
 *
 * <p><strong>Safety (paper, section 3.3).</strong> State changes first, the log is written after,
 * and a reply is released only when the entry with everything that had changed up to it is durable.
 * So whatever a client got as an answer is in the log, and a successor that replays the log gives
 * the same answers. A status query changes nothing, but its answer may rest on changes that are
 * still under way, or on the state of a writer that was deposed: it waits for an entry of its own
 * time like everything else, and if there is none, an empty one is written (the null write).
 *
 * <p>Start timestamps need no disk: they are taken from a range that was reserved in the log ahead
 * of use. A successor begins above the reserved range. That they come from a server which still
 * leads is known from the log's acknowledgements: see {@link io.retso.sequencer.Lease}.
 */
package io.retso.sequencer;
