/**
 * What the oracle remembers of rows and granules, in memory of a fixed size, and no decisions:
 *
 * <ul>
 *   <li>when a row was last committed: {@link io.retso.oracle.rows.CommittedMap};
 *   <li>at which serial position a row was read, and whether it may have been written lately:
 *       {@link io.retso.oracle.rows.RowStripes}, with {@link io.retso.oracle.rows.RecordedSince};
 *   <li>the same of granules: {@link io.retso.oracle.rows.GranuleStripes};
 *   <li>the newest two commits of a stripe: {@link io.retso.oracle.rows.CommitPairs}.
 * </ul>
 *
 * <p>All of them keep the low 32 bits of sequences, and hold them at an age before they would look
 * young again. Wherever one forgets or confuses, what it says instead can only refuse a commit.
 * Only {@link io.retso.oracle} uses this package.
 */
package io.retso.oracle.rows;
