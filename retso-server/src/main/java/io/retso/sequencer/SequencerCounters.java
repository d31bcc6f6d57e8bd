package io.retso.sequencer;

/** What the sequencer counted; plain fields of its thread. */
public final class SequencerCounters {
  /** Entries appended to the log. */
  public long entries;

  /** Their bytes. */
  public long entryBytes;

  /** Segments started. */
  public long segments;

  /** Copies every field of another. */
  public void copyFrom(SequencerCounters other) {
    entries = other.entries;
    entryBytes = other.entryBytes;
    segments = other.segments;
  }
}
