package io.retso.advise.input;

import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * How often the programs of a file run, by the meter {@code retso_client_transactions_seconds} of
 * the application's ReTSO client, in Prometheus' text format. Immutable, thread-safe.
 *
 * <p>Programs {@code Pay.1} and {@code Pay.2} are ways through the transactions that are called
 * {@code Pay}: they share its rate as their file's rates say.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class MeteredRates {
  /** Lines that are read, at most. */
  private static final int LINES_MAX = 1_000_000;

  private static final Pattern LINE =
      Pattern.compile("retso_client_transactions_seconds_count\\{(.*)\\} ([0-9.eE+]+)( .*)?");

  private static final Pattern NAME = Pattern.compile("(?:^|,)\\s*name=\"([^\"]*)\"");

  private final Map<String, Double> transactions = new HashMap<>();
  private final Path file;

  private MeteredRates(Path file) {
    this.file = file;
  }

  /**
   * Reads what {@code /metrics} of the application says, or of several of its processes together.
   *
   * @throws IOException if it cannot be read, says nothing of transactions, or has too many lines
   */
  public static MeteredRates read(Path file) throws IOException {
    MeteredRates rates = new MeteredRates(file);
    try (BufferedReader lines = Files.newBufferedReader(file)) {
      int number = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (++number > LINES_MAX) {
          throw new ProgramsFormatException(file + " has more than " + LINES_MAX + " lines");
        }
        rates.count(line, number);
      }
    }
    if (rates.transactions.isEmpty()) {
      throw new ProgramsFormatException(
          file
              + " has no line retso_client_transactions_seconds_count{...name=\"...\"...}: save"
              + " what the application's /metrics says, of an application that names its"
              + " transactions (TransactionOptions.withName)");
    }
    return rates;
  }

  private void count(String line, int number) throws ProgramsFormatException {
    Matcher counted = LINE.matcher(line);
    if (!counted.matches()) {
      return;
    }
    Matcher name = NAME.matcher(counted.group(1));
    if (name.find()) {
      try {
        transactions.merge(name.group(1), Double.valueOf(counted.group(2)), Double::sum);
      } catch (NumberFormatException e) {
        throw new ProgramsFormatException(
            file + ", line " + number + ": a number is expected, and not " + counted.group(2));
      }
    }
  }

  /** The programs with their rates; those that did not run at all count as if they had once. */
  public Programs applyTo(Programs programs) {
    Map<String, Double> sums =
        programs.all().stream()
            .collect(Collectors.groupingBy(this::nameOf, Collectors.summingDouble(Program::rate)));
    Programs changed = programs;
    for (Program program : programs.all()) {
      String name = nameOf(program);
      double ran = Math.max(1, transactions.getOrDefault(name, 0.0));
      changed = changed.with(program.rate(ran * program.rate() / sums.get(name)));
    }
    return changed;
  }

  /** Programs of which the metrics say nothing. */
  public List<String> unknown(Programs programs) {
    List<String> names = new ArrayList<>();
    for (Program program : programs.all()) {
      if (!transactions.containsKey(nameOf(program))) {
        names.add(program.name());
      }
    }
    return names;
  }

  /** The name of its transactions. */
  private String nameOf(Program program) {
    String name = program.name();
    return transactions.containsKey(name) ? name : name.replaceFirst("\\.[0-9]+$", "");
  }
}
