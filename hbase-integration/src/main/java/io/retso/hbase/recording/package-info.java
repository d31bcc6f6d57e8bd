/**
 * What transactions of an application do, written to a file for {@code retso advise learn}: {@link
 * io.retso.hbase.recording.Recorder}.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.recording;
