/**
 * Ledgers on Apache BookKeeper and their catalog in Apache ZooKeeper: {@link
 * io.retso.log.bookkeeper.BookKeeperStore} is the {@link io.retso.log.LedgerStore} of a server.
 * What the log asks of it is said there; nothing here decides which server has the log.
 */
package io.retso.log.bookkeeper;
