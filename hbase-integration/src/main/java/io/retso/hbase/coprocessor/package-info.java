/**
 * What region servers do for transactional tables: snapshot reads, cleanup, the horizon and purge,
 * and the cleanup of what dead clients left behind. docs/protocol.md is the specification.
 *
 * <p>{@link io.retso.hbase.coprocessor.TransactionRegionObserver} has the hooks; it is the one
 * class to install. {@code TransactionalRegion} is one open region and puts its parts together,
 * which are the packages below: {@code read}, {@code write}, {@code purge}, {@code oracle} and
 * {@code region}.
 */
package io.retso.hbase.coprocessor;
