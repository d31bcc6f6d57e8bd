package io.retso.hbase.recording;

import io.retso.text.Text;
import org.apache.hadoop.hbase.util.Bytes;

/** Texts and keys in lines of JSON; the client has no library for that. Stateless. */
final class Json {
  private Json() {}

  /** The text between quotes. */
  static StringBuilder quoted(StringBuilder to, String text) {
    to.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        to.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        to.append(Text.of("\\u%04x", (int) c));
      } else {
        to.append(c);
      }
    }
    return to.append('"');
  }

  /** Bytes between quotes, as HBase's shell shows them: {@code \x00} for those not printable. */
  static StringBuilder quoted(StringBuilder to, byte[] bytes) {
    return quoted(to, Bytes.toStringBinary(bytes));
  }
}
