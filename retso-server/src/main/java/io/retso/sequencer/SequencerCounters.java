package io.retso.sequencer;

/** What the sequencer counted; plain fields of its thread. */
public final class SequencerCounters implements Cloneable {
  /** Entries appended to the log. */
  public long entries;

  /** Their bytes. */
  public long entryBytes;

  /** Segments started. */
  public long segments;

  /** Times that appends failed and the log had to go on in another ledger. */
  public long stalls;

  /** Why it has not yet gone on, so that no request is taken; empty if it has. */
  public String stalledBy = "";

  /** Adds what another sequencer counted. */
  public void add(SequencerCounters other) {
    entries += other.entries;
    entryBytes += other.entryBytes;
    segments += other.segments;
    stalls += other.stalls;
    stalledBy = other.stalledBy.isEmpty() ? stalledBy : other.stalledBy;
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
