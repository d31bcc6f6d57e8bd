package io.retso.sequencer;

/** What the sequencer counted; plain fields of its thread. */
public final class SequencerCounters implements Cloneable {
  /** Entries appended to the log. */
  public long entries;

  /** Their bytes. */
  public long entryBytes;

  /** Segments started. */
  public long segments;

  /** Adds what another sequencer counted. */
  public void add(SequencerCounters other) {
    entries += other.entries;
    entryBytes += other.entryBytes;
    segments += other.segments;
  }

  /** A copy, to be handed to other threads. */
  public SequencerCounters copy() {
    try {
      return (SequencerCounters) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
