/**
 * Random statements on a plain HBase table and on a transactional one, side by side: whatever an
 * application reads must be equal. {@code Draw} makes names and values, {@code Filters}, {@code
 * ReadStatements} and {@code Writes} make {@code Statement}s of them, {@code SideBySide} runs those
 * on both tables, {@code Outcome} is what is compared, and {@code KnownDifference} is the list of
 * everything that need not be equal.
 */
package io.retso.hbase.beside;
