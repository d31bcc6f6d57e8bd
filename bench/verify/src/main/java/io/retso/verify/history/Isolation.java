package io.retso.verify.history;

import java.util.Optional;

/** What a transaction was promised, and, if it only reads, which snapshot it reads. */
public enum Isolation {
  /** Strong snapshot isolation; the promise of a history that says nothing. */
  SNAPSHOT("snapshot"),
  /** Strict serializability. */
  SERIALIZABLE("serializable"),
  /** Serializability of a reader whose snapshot may be older than itself. */
  RECENT("serializable-recent"),
  /** Strict serializability of a reader that waits for a snapshot that no writer can spoil. */
  DEFERRED("serializable-deferred"),
  /** Strict serializability of a reader whose reads are certified at its end. */
  LATEST("serializable-latest");

  private final String label;

  Isolation(String label) {
    this.label = label;
  }

  /** Its name in a history. */
  public String label() {
    return label;
  }

  /** The one with this name. */
  public static Optional<Isolation> of(String label) {
    for (Isolation isolation : values()) {
      if (isolation.label.equals(label)) {
        return Optional.of(isolation);
      }
    }
    return Optional.empty();
  }

  /** Whether it has one place in the serial order, at which all of its reads are right. */
  public boolean isSerializable() {
    return this != SNAPSHOT;
  }

  /** Whether it may miss what was committed before it began. */
  public boolean mayBeStale() {
    return this == RECENT;
  }
}
