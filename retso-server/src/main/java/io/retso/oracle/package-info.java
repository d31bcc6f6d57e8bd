/**
 * The transaction status oracle of the paper, sections 2 and 3, and nothing else.
 *
 * <p>Everything here is deterministic: no clock, no thread, no I/O, no logging, no randomness. The
 * same calls in the same order give the same answers and the same state, so the oracle can be
 * replayed from its log and simulated from a seed. One thread at a time may use it.
 *
 * <p>Where to find what:
 *
 * <ul>
 *   <li>each request: {@link io.retso.oracle.StatusOracle};
 *   <li>Algorithm 4, and requests about what was decided before: {@link
 *       io.retso.oracle.DecidedTransactions};
 *   <li>Algorithm 3: {@link io.retso.oracle.CommitDecision};
 *   <li>what serializable transactions have read: {@link io.retso.oracle.Certifier}, by the rule of
 *       {@link io.retso.oracle.Intervals};
 *   <li>the low watermark, sweeps and the time limit: {@link io.retso.oracle.Watermark};
 *   <li>what is remembered of rows and granules (the lazy, self-collecting hash map of the last NR
 *       committed rows with T_max, and the readers of rows): {@link io.retso.oracle.rows};
 *   <li>the lists of open and half-aborted transactions: {@link io.retso.oracle.TransactionWindow};
 *   <li>committed transactions that are not cleaned up and that left the window: {@link
 *       io.retso.oracle.UncleanedCommits};
 *   <li>timestamps that belong to no transaction, of which the log says nothing: {@link
 *       io.retso.oracle.UnloggedTimestamps};
 *   <li>recovery from a log: {@link io.retso.oracle.Replay}.
 * </ul>
 *
 * <p><strong>Timestamps and sequences.</strong> Outside, time is a timestamp, a multiple of {@link
 * io.retso.protocol.Timestamps#GAP}. Inside it is the timestamp's <em>sequence</em>, the multiple
 * itself: consecutive timestamps have consecutive sequences. The map keeps the low 32 bits.
 *
 * <p><strong>How a state leaves memory, and why every answer stays true.</strong> The window holds
 * the last R sequences. A transaction whose start leaves the window
 *
 * <ul>
 *   <li>uncommitted, can never commit again: {@code commit} tests the window first. That is the
 *       paper's forced abort, and nothing needs to be remembered for it: see the next point;
 *   <li>committed but not cleaned up, moves to the table of uncleaned commits and stays there until
 *       its cleanup is reported. So a transaction that is in neither place is aborted, or committed
 *       with <em>all</em> its rows cleaned. That is the answer {@code RETRY}: a reader that reads
 *       the row again, after the answer, and still finds the pending mark knows that the
 *       transaction aborted, because a committed one had no marks left when the answer was given.
 * </ul>
 *
 * <p>Dead clients therefore pin memory only through transactions that they committed and did not
 * clean, and that table is bounded. A sweep takes them out of it.
 *
 * <p><strong>Why a sweep may say that nothing is left.</strong> A client takes a fresh start
 * timestamp X, then visits every pending mark in the tables and finishes the cleanup of every
 * decided transaction it meets. A transaction T that committed below X was decided before X was
 * issued, and had an answer to all its writes before it asked to commit: all its marks stood in the
 * tables before the sweep began, and none comes later. So the sweep met each of them, or a client
 * had cleaned it. Asked for T's status the oracle answered with the commit timestamp, or with
 * {@code RETRY} after all marks were gone. X travels in the fast lane, so a crash may have undone
 * the commit of T after X was answered: then T is not committed, and if it commits again then above
 * all that was reserved before the crash, which X was.
 *
 * <p><strong>Why the low watermark W never falls.</strong> Within one life: what is finished stays
 * finished; a transaction that leaves the window uncleaned was not finished, so W had not passed
 * it; new timestamps are above. Over a restart: an answer leaves after the entry of its time is
 * durable, so each commit, abort, cleanup, sweep and expiry that finished a transaction is
 * replayed, and so is W itself if it passed timestamps that belong to no transaction, which leave
 * no other trace; what had left the window of the writer before stays outside of the next one's;
 * and the timestamps that recovery presumes to be open are above W: they were open in that writer,
 * or belonged to no transaction, or were above its {@code next}. They hold the next W back until
 * they leave the window or the time limit passes. A deposed writer cannot answer a call that is
 * made after its successor answered one: its append fails, and its timestamps wait for one by then.
 */
package io.retso.oracle;
