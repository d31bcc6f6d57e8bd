package io.retso.chaos.run;

import io.retso.cluster.nodes.Cluster;
import io.retso.cluster.nodes.Role;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the oracles of a cluster log about take-overs, read as it grows. For one thread. */
final class TakeOverLog {
  private static final Pattern LINE =
      Pattern.compile(
          "(\\S+ \\S+) +INFO +Member - (takes over from|leads in|took over from) epoch \\d+(.*)");

  /** In the line of a take-over that is over. */
  private static final Pattern STEP = Pattern.compile("[:,] ([a-z ]+) (\\d+)");

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);

  private final List<Path> files;
  private final Map<Path, Long> read = new HashMap<>();

  TakeOverLog(Cluster cluster) {
    this(cluster.layout().of(Role.ORACLE).stream().map(cluster::log).toList());
  }

  TakeOverLog(List<Path> files) {
    this.files = files;
  }

  /**
   * Take-overs that were not read before.
   *
   * @param since the {@link System#currentTimeMillis} from which times count; what is older is
   *     passed over
   */
  TakeOvers next(long since) throws IOException {
    double begun = -1;
    double led = -1;
    int attempts = 0;
    int leaders = 0;
    double over = -1;
    Map<String, Double> steps = Map.of();
    for (Path file : files) {
      Matcher lines = LINE.matcher(rest(file));
      while (lines.find()) {
        double after = millis(lines.group(1)) - since;
        if (after < 0) {
          continue;
        }
        if (lines.group(2).startsWith("takes")) {
          attempts++;
          begun = begun < 0 ? after : Math.min(begun, after);
        } else if (lines.group(2).startsWith("leads")) {
          leaders++;
          led = led < 0 ? after : Math.min(led, after);
        } else if (over < 0 || after < over) {
          over = after;
          steps = steps(lines.group(3));
        }
      }
    }
    return new TakeOvers(begun, led, attempts, leaders, steps);
  }

  private static Map<String, Double> steps(String words) {
    Map<String, Double> steps = new LinkedHashMap<>();
    Matcher each = STEP.matcher(words);
    while (each.find()) {
      steps.put(each.group(1), Double.valueOf(each.group(2)));
    }
    return steps;
  }

  private static long millis(String time) {
    return LocalDateTime.parse(time, TIME)
        .atZone(ZoneId.systemDefault())
        .toInstant()
        .toEpochMilli();
  }

  /** A log that became shorter was begun anew. */
  private String rest(Path file) throws IOException {
    if (!Files.exists(file)) {
      return "";
    }
    try (FileChannel channel = FileChannel.open(file);
        InputStream in = Channels.newInputStream(channel)) {
      long from = read.getOrDefault(file, 0L);
      channel.position(from <= channel.size() ? from : 0);
      byte[] bytes = in.readAllBytes();
      read.put(file, channel.position());
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }
}
