package io.retso.chaos.rollout;

import io.retso.server.commands.CommandLines;
import io.retso.server.commands.HandoverCommand;
import io.retso.server.commands.ReloadCommand;
import io.retso.server.commands.StatusCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;

/** Runs the commands of an operator, in this process. For one thread. */
final class Operator {
  private final List<String> http;
  private final List<String> known;

  /**
   * Has asked for nothing yet.
   *
   * @param http where the oracles answer
   * @param known flags by which the operator is known inside of TLS
   */
  Operator(List<String> http, List<String> known) {
    this.http = http;
    this.known = known;
  }

  /**
   * A client that is connected.
   *
   * @param principal a dash if it has not identified itself
   * @param isEncrypted whether it speaks TLS
   * @param name what it calls itself
   */
  record Connected(String principal, boolean isEncrypted, String name) {
    private static final int COLUMNS = 6;

    private static Connected of(String line) throws IOException {
      String[] words = line.split(" {2}");
      if (words.length != COLUMNS) {
        throw new IOException("retso status --clients said: " + line);
      }
      return new Connected(words[0], words[2].equals("tls"), words[4]);
    }
  }

  /** {@code retso status --clients} of an oracle. */
  List<Connected> clients(int oracle, boolean byTls) throws IOException {
    List<Connected> all = new ArrayList<>();
    for (String line : said(oracle, byTls, new StatusCommand(), "--clients").lines().toList()) {
      if (!line.startsWith("principal ")) {
        all.add(Connected.of(line));
      }
    }
    return all;
  }

  /** {@code retso reload} of an oracle. */
  String reload(int oracle, boolean byTls) throws IOException {
    return said(oracle, byTls, new ReloadCommand()).strip();
  }

  /** {@code retso handover} of an oracle. */
  void handOver(int oracle, boolean byTls) throws IOException {
    said(oracle, byTls, new HandoverCommand());
  }

  private String said(int oracle, boolean byTls, Object command, String... more)
      throws IOException {
    List<String> words = new ArrayList<>(List.of(more));
    words.add("--http=" + http.get(oracle));
    if (byTls) {
      words.addAll(known);
    }
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    int code =
        CommandLines.of(command)
            .setOut(writer)
            .setErr(writer)
            .execute(words.toArray(String[]::new));
    if (code != 0) {
      throw new IOException("an operator's command ended with " + code + ": " + out);
    }
    return out.toString();
  }
}
