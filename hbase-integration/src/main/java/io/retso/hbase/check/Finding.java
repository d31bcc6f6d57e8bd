package io.retso.hbase.check;

import io.retso.text.Text;

/**
 * Something that is wrong with one place of a table. Immutable.
 *
 * @param kind what it is
 * @param place row, column and version, printable
 * @param meaning what it means here, and what to do
 */
public record Finding(FindingKind kind, String place, String meaning) {
  /** One line. */
  @Override
  public String toString() {
    return Text.of("%s: %s: %s", kind, place, meaning);
  }
}
