/**
 * On which threads a client's work goes on, and where applications' callbacks run.
 *
 * <pre>
 *   thread                          what runs there                       blocked by applications?
 *
 *   the application's               blocking methods; the beginning of
 *                                   asynchronous ones                     as they like
 *   HBase's RPC threads             answers of HBase, and callbacks       its client stands still;
 *                                   of futures that they complete         our blocking methods refuse
 *   the oracle client's event loop  answers of the oracle                 never: no callbacks
 *   retso-timer                     deadlines, pauses, what collects      never: no callbacks
 *   retso-callback                  callbacks of what the two above       delays callbacks, and
 *                                   have completed                        nothing else
 * </pre>
 *
 * <p>So no deadline depends on a thread that an application can block, nor on the JVM's common
 * pool, which an application may have filled.
 *
 * <p><strong>Why callbacks leave two of the threads and not all.</strong> A thread that is blocked
 * must not be one on which others rely. For the event loop and the timer this is ours to see to,
 * and costs asynchronous transactions two hand-overs, of their begin and of their commit; a
 * blocking transaction has none, as it has no callbacks. Answers of HBase are far more frequent,
 * and its own {@code AsyncTable} completes futures on its RPC threads, too: there a callback stays,
 * and a blocking method that it calls is refused, as it would wait for the thread that it is on.
 *
 * <p>{@link io.retso.hbase.futures.Futures} is how futures are waited for and follow each other;
 * {@link io.retso.hbase.futures.Workers} are threads of one blocking call.
 */
package io.retso.hbase.futures;
