/**
 * What flushes and compactions leave out: {@link io.retso.hbase.coprocessor.purge.VersionPurge} of
 * data, {@link io.retso.hbase.coprocessor.purge.MarkScanner} of marks.
 */
package io.retso.hbase.coprocessor.purge;
