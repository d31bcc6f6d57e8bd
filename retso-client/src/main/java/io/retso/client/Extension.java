package io.retso.client;

import io.retso.protocol.FrameType;

/**
 * The answer to {@link OracleClient#extendAsync}: a fresh timestamp L, and whether the snapshot
 * that was asked about could be extended to it. Immutable.
 *
 * <p>If so, whoever read the rows at the old snapshot has read them at L: in the snapshot of all
 * transactions committed below L, as fresh as that of a {@link OracleClient#begin()} at the same
 * moment. It makes no difference whether they were read before the answer came or are read after
 * it, at the old snapshot or at L. Other rows are to be read at L, or be part of another extension.
 *
 * <p>L is no transaction. It cannot commit, needs no end, and keeps no old version from being
 * dropped: whoever reads at L for longer does so under the protection of an open transaction that
 * started before.
 *
 * @param timestamp L, above all timestamps that the oracle issued before, a multiple of {@link
 *     io.retso.protocol.Timestamps#GAP}; valid as the reader's timestamp of a status query and as
 *     the snapshot of a further extension
 * @param isUnchanged true if certainly no transaction committed one of the rows from the old
 *     snapshot up to L; always true without rows, unless the oracle no longer remembers the
 *     snapshot. False if one did, or may have: nothing is known then of the rows at L, and they are
 *     to be read again
 */
public record Extension(long timestamp, boolean isUnchanged) {
  /** The extension that a positive answer of the wire tells. */
  static Extension of(long answer) {
    return new Extension(answer & ~FrameType.CHANGED_FLAG, (answer & FrameType.CHANGED_FLAG) == 0);
  }
}
