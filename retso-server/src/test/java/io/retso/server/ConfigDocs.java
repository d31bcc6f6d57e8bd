package io.retso.server;

import io.retso.server.commands.ExitCode;
import io.retso.server.config.MemoryPlan;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import java.util.Locale;

/**
 * Writes the table of settings for people: {@code deploy/retso.properties} and {@code
 * docs/configuration.md}. A test compares both files with what is written here.
 */
final class ConfigDocs {
  private static final int WIDTH = 96;

  private ConfigDocs() {}

  /** A properties file with every setting at its default, commented out. */
  static String sampleFile() {
    StringBuilder out = new StringBuilder();
    out.append(
        """
        # Settings of the ReTSO server, with their defaults: take the # away to change one.
        #
        #   retso server --config retso.properties
        #
        # Lines are "key = value" in UTF-8. Counts may end in k, M, G (thousands) or Ki, Mi, Gi
        # (1024s), or be powers like 2^23. Time spans end in ms, s, m, h or d. Every setting is a
        # flag too (listen.port: --listen-port); a flag overrides this file. Unknown or repeated
        # keys and values out of range stop the server before it starts.
        """);
    for (Setting<?> setting : Settings.ALL) {
      out.append('\n');
      wrap(out, "# ", "# ", setting.description());
      wrap(out, "# ", "# ", "Allowed: " + setting.type().allowed() + ".");
      out.append('#').append(setting.key()).append(" = ").append(setting.defaultText());
      out.setLength(out.length() - (setting.defaultText().isEmpty() ? 1 : 0));
      out.append('\n');
    }
    return out.toString();
  }

  private static void wrap(StringBuilder out, String firstLead, String lead, String text) {
    String line = firstLead;
    boolean isEmpty = true;
    for (String word : text.split(" ")) {
      if (!isEmpty && line.length() + 1 + word.length() > WIDTH) {
        out.append(line).append('\n');
        line = lead;
        isEmpty = true;
      }
      line += (isEmpty ? "" : " ") + word;
      isEmpty = false;
    }
    out.append(line).append('\n');
  }

  /** The reference of all settings, in Markdown. */
  static String reference() {
    StringBuilder out = new StringBuilder();
    out.append(
        """
        # Configuration

        <!-- Made from io.retso.server.config.Settings; a test fails when it differs. -->

        `./retso server` needs no configuration. What differs from the defaults is set by flags,
        or by a properties file given with `--config FILE`; a flag overrides the file.
        [`deploy/retso.properties`](../deploy/retso.properties) is a file with everything in it.

        The file has lines `key = value` in UTF-8; empty lines and lines that begin with `#` are
        skipped. There are no escapes and no continued lines. Counts may end in `k`, `M`, `G`
        (thousands) or `Ki`, `Mi`, `Gi` (1024s), have `_` between digits, or be powers like `2^23`.
        Time spans end in `ms`, `s`, `m`, `h` or `d`. Unknown keys, repeated keys and values out of
        range stop the server before it starts anything, with exit code 64.

        ## Settings

        """);
    for (Setting<?> setting : Settings.ALL) {
      String standard = setting.defaultText().isEmpty() ? "(empty)" : setting.defaultText();
      String names =
          String.format(
              Locale.ROOT,
              "**`%s`** (`%s`; default `%s`): ",
              setting.key(),
              setting.flag(),
              standard);
      wrap(out, "- ", "  ", names + setting.description());
      wrap(out, "  ", "  ", "*Allowed:* " + setting.type().allowed() + ".");
    }
    out.append(
        String.format(
            Locale.ROOT,
            """

            ## Memory

            The heap holds `12.8 × rows + 8 × window.timestamps` bytes, 6 MiB for what serializable
            transactions read, 32 to 64 bytes for each of
            `uncleaned.max`, and a constant: %s, and with an embedded log another %s plus %s for each
            bookie. All but the constant is allocated at the start. The server compares the sum with the
            JVM's `-Xmx` (by default a quarter of the machine's memory) and refuses to start if it does
            not fit; `RETSO_OPTS=-Xmx4g ./retso server` sets it.

            The most of the machine's memory that the process should take is printed at the start as
            resident: the heap's limit, a twentieth of it for the collector, and outside of the heap %s,
            5 MiB for each of `log.inflight` and one more, and with an embedded log %s plus %s for
            each bookie. The network's buffers add at most 2 MiB for each connection that is behind.

            ## Exit codes

            | Code | Name | Meaning |
            |---|---|---|
            """,
            MemoryPlan.mebibytes(MemoryPlan.REST_BYTES),
            MemoryPlan.mebibytes(MemoryPlan.EMBEDDED_BYTES),
            MemoryPlan.mebibytes(MemoryPlan.EMBEDDED_BOOKIE_BYTES),
            MemoryPlan.mebibytes(MemoryPlan.OUTSIDE_BYTES),
            MemoryPlan.mebibytes(MemoryPlan.OUTSIDE_EMBEDDED_BYTES),
            MemoryPlan.mebibytes(MemoryPlan.OUTSIDE_BOOKIE_BYTES)));
    for (ExitCode code : ExitCode.values()) {
      out.append(
          String.format(Locale.ROOT, "| %d | %s | %s |\n", code.number(), code, code.meaning()));
    }
    out.append(
        """
        | 130, 143 | | A clean shutdown after SIGINT or SIGTERM. |
        """);
    return out.toString();
  }
}
