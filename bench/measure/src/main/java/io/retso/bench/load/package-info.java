/**
 * The load generator: many transactions over a few connections, driven by one event loop.
 *
 * <p>{@link io.retso.bench.load.LoadDriver} owns the loop and its connections; a {@link
 * io.retso.bench.load.LoadPlan} says what to do and {@link io.retso.bench.load.LoadResult} what
 * came out. Everything is coalesced by bursts: all transactions that became ready while one
 * connection was read leave in one COMMIT, one CLEANED and one BEGIN frame with a single write. No
 * object is made per transaction, and a latency is recorded once for all transactions that share
 * their instants.
 *
 * <p>A transaction is begin and commit, as in the paper (section 4), with zero time between.
 * Reports of cleaned-up commits travel with the next commit frame of their connection, as the table
 * of uncleaned commits is bounded; they are not part of any latency.
 */
package io.retso.bench.load;
