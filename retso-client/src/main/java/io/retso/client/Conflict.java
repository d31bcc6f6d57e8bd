package io.retso.client;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Why the oracle refused a commit: which id of the request was changed by others, and by which
 * commit. Immutable.
 *
 * <p>Ids of rows (or cells) are certain where there is a {@link #commitTimestamp}. Of granules the
 * oracle remembers the newest by name, and the others together, so a granule may be named because
 * another one was changed. What was {@link #read} shares places in its memory, too.
 *
 * @param changed what others changed after the transaction began: what it wrote, validated, or read
 * @param commitTimestamp of the newest commit that changed it, above the start timestamp; empty if
 *     the oracle only knows that it may have been changed, since it forgot older commits
 * @param read for {@link CommitResult.AbortReason#PIVOT}: what the transaction wrote and others
 *     read; empty if the change itself has its place before the transaction, and for other reasons
 * @since 0.1
 */
@InterfaceAudience.Public
public record Conflict(Id changed, OptionalLong commitTimestamp, Optional<Id> read) {
  /** Which list of the {@link CommitRequest} an id is from. */
  public enum Kind {
    WRITE,
    VALIDATED,
    READ,
    RANGE_READ,
    RANGE_WRITE
  }

  /**
   * An id of the request.
   *
   * @param kind the list that has it
   * @param id of a row, a cell or a granule
   */
  public record Id(Kind kind, long id) {
    public Id {
      Objects.requireNonNull(kind, "kind");
    }
  }

  public Conflict {
    Objects.requireNonNull(changed, "changed");
    Objects.requireNonNull(commitTimestamp, "commitTimestamp");
    Objects.requireNonNull(read, "read");
  }
}
