/**
 * How a transaction that wrote ends: {@link io.retso.hbase.commit.CommitProtocol}.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.commit;
