package io.retso.client;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * Groups of bytes, by which granules of keys get finer in half steps: what lies between two keys
 * can be named by few of them, above all if the keys are text.
 *
 * <p>Each group is a range of bytes (unsigned): the ten digits, each by itself, as keys have most
 * often; and
 *
 * <pre>
 *   00-1f  20-2f  30 31 32 33 34 35 36 37 38 39  3a-40
 *   41-46  47-50  51-5a  (A-F, G-P, Q-Z)         5b-60
 *   61-66  67-70  71-7a  (a-f, g-p, q-z)         7b-7f  80-bf  c0-ff
 * </pre>
 *
 * <p>All clients of an oracle must have the same ones. Stateless and thread-safe.
 */
@InterfaceAudience.Public
public final class ByteGroup {
  /** The first bytes of the groups, in ascending order, and one behind the last. */
  private static final int[] FIRSTS = {
    0x00, 0x20, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x3a, 0x41, 0x47, 0x51,
    0x5b, 0x61, 0x67, 0x71, 0x7b, 0x80, 0xc0, 0x100
  };

  /** The index of the group of each byte. */
  private static final byte[] OF = new byte[256];

  static {
    for (int group = 0; group < FIRSTS.length - 1; group++) {
      for (int value = FIRSTS[group]; value < FIRSTS[group + 1]; value++) {
        OF[value] = (byte) group;
      }
    }
  }

  private ByteGroup() {}

  /** The first byte of the group, 0 to 255. */
  public static int first(byte member) {
    return FIRSTS[OF[member & 0xff]];
  }

  /** The last byte of the group, 0 to 255. */
  public static int last(byte member) {
    return FIRSTS[OF[member & 0xff] + 1] - 1;
  }

  /** Whether it is the only byte of its group. */
  public static boolean isAlone(byte member) {
    return first(member) == last(member);
  }
}
