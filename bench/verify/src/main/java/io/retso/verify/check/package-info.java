/**
 * Decides from a history alone whether transactions were isolated as promised. Pure and
 * deterministic: no I/O, no clock, no thread, no randomness.
 *
 * <p><strong>What is checked.</strong> Strong snapshot isolation (Daudjee and Salem, 2006) is
 * generalised snapshot isolation in which a snapshot is not older than the transaction's
 * invocation. It says: there are instants start(T) &lt; commit(T) between invocation and completion
 * of each committed T, such that T reads what was committed before start(T), and its own appends;
 * and of two transactions that append to the same key one commits before the other starts. An
 * unknown outcome has no completion: the transaction may commit at any later time or never.
 *
 * <p><strong>How.</strong> Since a read returns the whole list of a key, the longest one gives the
 * order of all versions that were seen ({@link io.retso.verify.check.VersionOrders}); whatever
 * contradicts the existence of one such order is an anomaly by itself. The order gives the
 * dependencies of Adya (1999): ww between writers of neighbouring versions, wr from a writer to
 * those who read its version, rw from those to the writer of the next version. In instants:
 *
 * <pre>
 *   T        inner  start(T)  &lt; commit(T)
 *   A ww B          commit(A) &lt; start(B)     no overlap of writers, in the order of versions
 *   A wr B          commit(A) &lt; start(B)     B saw A
 *   A rw B          start(A)  &lt; commit(B)    A did not see B
 *   A rt B          commit(A) &lt; start(B)     A completed before B was invoked
 * </pre>
 *
 * <p><strong>Why it is right.</strong> Each line is necessary. Together they are sufficient: if the
 * graph of these edges ({@link io.retso.verify.check.PointGraph}) has no cycle, take any
 * topological order as the order of instants. A reader of version i starts after the commits of
 * writers 1 to i, by wr and the chain of ww and inner edges, and before the commit of writer i + 1
 * and so of all later ones: it reads exactly version i. Writers of a key do not overlap, by ww. And
 * the instants fit between invocations and completions: put both kinds of events in one order; a
 * cycle would have to leave the instants by commit(A) &lt; completion(A) and come back by
 * invocation(B) &lt; start(B) with completion(A) &lt; invocation(B), which is an rt edge, so the
 * cycle would be there among the instants alone.
 *
 * <p><strong>The same in the words of the literature.</strong> Only rw edges lead from a start, and
 * they lead to a commit, from where only the other edges lead on. So a cycle of instants is a cycle
 * of transactions without two rw edges in a row, and the condition is that of Cerone and Gotsman
 * (Analysing Snapshot Isolation, 2016): ((SO &cup; WR &cup; WW) ; RW?) is acyclic, with real time
 * in the place of the session order SO. Cycles with two rw edges in a row, such as write skew, are
 * allowed, and counted.
 *
 * <p><strong>Serializable transactions</strong> are promised more than that: such a transaction has
 * a third instant, place(T), at which it could have run alone. A transaction of snapshot isolation
 * has its place at its commit; what it read need not be right there.
 *
 * <pre>
 *   T        inner  start(T)  &lt; place(T) &lt; commit(T)
 *   A rw B          place(A)  &lt; place(B)      in the place of start(A) &lt; commit(B), which follows
 * </pre>
 *
 * <p>The other lines are the same: commit(A) &lt; start(B) gives place(A) &lt; place(B). Again they
 * are sufficient: in a topological order a serializable reader of version i has its place after
 * those of writers 1 to i, and before that of writer i + 1. If all are serializable, every cycle of
 * transactions is one of instants: edges arrive at start or place, they leave from place or commit,
 * and the latter never come before the former. So the graph decides strict serializability. A
 * reader of a recent safe snapshot may have started before its invocation: no rt edge leads to it.
 *
 * <p>What a scan did not find is a read of an empty list, if the history names the list.
 *
 * <p><strong>Limits.</strong> Appends that no read shows come after those that were seen, but their
 * own order is not known. So the answer is exact if each key was read after all of its appends
 * ({@link io.retso.verify.check.Verdict#withoutLastRead}); otherwise what is reported is wrong
 * indeed, but something may be missed. Reads of failed transactions are not judged.
 */
package io.retso.verify.check;
