/**
 * Random statements on a plain HBase table and on a transactional one, side by side: whatever an
 * application reads must be equal. {@code Draw} makes names and values, {@code Filters}, {@code
 * ReadStatements} and {@code Writes} make {@code Statement}s of them, {@code Storage} says how
 * HBase keeps both tables, {@code SideBySide} runs the statements on both, {@code Upkeep} flushes,
 * compacts, splits and moves beside, {@code Outcome} is what is compared, and {@code
 * KnownDifference} is the list of everything that need not be equal.
 */
package io.retso.hbase.beside;
