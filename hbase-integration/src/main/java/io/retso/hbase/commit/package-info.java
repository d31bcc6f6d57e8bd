/**
 * How a transaction ends of which the oracle must know: {@link
 * io.retso.hbase.commit.CommitProtocol}.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.commit;
