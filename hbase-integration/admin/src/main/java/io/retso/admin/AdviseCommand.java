package io.retso.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.retso.advise.Advise;
import io.retso.advise.graph.DependencyGraph;
import io.retso.advise.input.MeteredRates;
import io.retso.advise.input.ProgramsFile;
import io.retso.advise.input.ProgramsFormatException;
import io.retso.advise.model.Danger;
import io.retso.advise.model.ProgramException;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Programs.Conflicts;
import io.retso.advise.model.Repair;
import io.retso.advise.model.Verdict;
import io.retso.advise.reproduce.Reproduction;
import io.retso.server.BuildVersion;
import io.retso.server.commands.UsualExitCodes;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code retso advise}: whether snapshot isolation is enough for the programs of a file. */
@Command(
    name = "advise",
    description = {
      "Says whether snapshot isolation is enough for the programs of a file, exactly: which of them"
          + " are dangerous together, and what the cheapest repair is. docs/advise.md explains the"
          + " file.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = BuildVersion.class,
    sortOptions = false,
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Each outcome of the programs is that of a serial order.",
      "1:Some are not; they are shown.",
      "2:The file is none of programs, or a file cannot be read or written.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it."
    },
    subcommands = LearnCommand.class,
    modelTransformer = UsualExitCodes.class)
public final class AdviseCommand implements Callable<Integer> {
  private static final int DANGERS = 1;
  private static final int BAD_INPUT = 2;
  private static final int REPAIRS_MAX = 100;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "FILE", arity = "0..1", description = "Programs, in YAML.")
  private Path file;

  @Option(
      names = "--conflicts",
      paramLabel = "row|cell",
      description = "How all tables find conflicts. Default: what the file says, else row")
  private Conflicts conflicts;

  @Option(
      names = "--repairs",
      paramLabel = "N",
      defaultValue = "5",
      description = "So many, the cheapest first. Default: ${DEFAULT-VALUE}")
  private int repairs;

  @Option(
      names = "--rates",
      paramLabel = "METRICS",
      description =
          "How often each program runs: a file of what the application's /metrics says. Default:"
              + " the rates of FILE")
  private Path rates;

  @Option(
      names = "--graph",
      paramLabel = "PICTURE",
      description = "Draws which programs depend on each other: a file that ends with .svg or .dot")
  private Path graph;

  @Option(
      names = "--reproduce",
      paramLabel = "DIR",
      description =
          "Writes a test of JUnit 5 there for each danger, which shows it on a real oracle and"
              + " HBase by the test kit")
  private Path reproduce;

  @Option(
      names = "--package",
      paramLabel = "NAME",
      defaultValue = "",
      description = "Of these tests. Default: none")
  private String packageName;

  @Option(names = "--json", description = "Prints all of it as JSON.")
  private boolean json;

  @Override
  public Integer call() {
    check(file != null, "FILE is missing: name a file of programs");
    check(repairs >= 0 && repairs <= REPAIRS_MAX, "--repairs must be 0 to " + REPAIRS_MAX);
    check(
        graph == null || graph.toString().matches(".*\\.(svg|dot)"),
        "--graph " + graph + " ends with neither .svg nor .dot");
    try {
      Programs programs = withRates(ProgramsFile.read(file));
      Advise advise = Advise.of(conflicts == null ? programs : programs.withConflicts(conflicts));
      Verdict verdict = advise.verdict();
      Answer answer =
          verdict.isSerializable()
              ? new Answer(verdict, List.of(), List.of(), List.of())
              : new Answer(
                  verdict,
                  advise.maximalSafe(),
                  advise.fewestSerializable(),
                  repairs == 0 ? List.of() : advise.repairs(repairs));
      PrintWriter out = spec.commandLine().getOut();
      out.print(json ? answer.toJson() : answer.toText());
      draw(advise.programs(), out);
      writeTests(verdict, out);
      out.flush();
      return verdict.isSerializable() ? 0 : DANGERS;
    } catch (ProgramException e) {
      return refused(file + ": " + e.getMessage());
    } catch (ProgramsFormatException e) {
      return refused(e.getMessage());
    } catch (IllegalStateException | IOException e) {
      return refused(file + ": " + ErrorText.of(e));
    }
  }

  private Programs withRates(Programs programs) throws IOException {
    if (rates == null) {
      return programs;
    }
    MeteredRates metered = MeteredRates.read(rates);
    List<String> unknown = metered.unknown(programs);
    if (!unknown.isEmpty()) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("Not in " + rates + ", so counted as run once: " + String.join(", ", unknown));
      err.flush();
    }
    return metered.applyTo(programs);
  }

  private void check(boolean right, String otherwise) {
    if (!right) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  private int refused(String reason) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("retso advise: " + reason);
    err.flush();
    return BAD_INPUT;
  }

  private void draw(Programs programs, PrintWriter out) throws IOException {
    if (graph != null) {
      DependencyGraph drawn = DependencyGraph.of(programs);
      Files.writeString(graph, graph.toString().endsWith(".dot") ? drawn.toDot() : drawn.toSvg());
      say(out, "The graph of the programs is in " + graph);
    }
  }

  private void writeTests(Verdict verdict, PrintWriter out) throws IOException {
    if (reproduce == null) {
      return;
    }
    Path directory = reproduce.resolve(packageName.replace('.', '/'));
    Files.createDirectories(directory);
    int number = 0;
    for (Danger danger : verdict.dangers()) {
      String name = "Danger" + ++number + "Test";
      String text;
      try {
        text = Reproduction.of(danger, verdict.programs(), packageName, name).text();
      } catch (IllegalArgumentException e) {
        throw new ParameterException(spec.commandLine(), "--package: " + ErrorText.of(e), e);
      }
      Path test = directory.resolve(name + ".java");
      Files.writeString(test, text);
      say(out, "Danger " + number + " is shown by " + test);
    }
  }

  /** Beside JSON nothing else is printed. */
  private void say(PrintWriter out, String line) {
    if (!json) {
      out.println(line);
    }
  }

  /** All that is said of the programs. */
  private record Answer(
      Verdict verdict,
      List<Set<String>> safe,
      List<Set<String>> serializable,
      List<Repair> repairs) {
    String toText() {
      StringBuilder text = new StringBuilder(verdict.toString());
      if (verdict.isSerializable()) {
        return text.toString();
      }
      text.append("\nSafe together, and with no program more:\n");
      safe.forEach(set -> text.append("  ").append(String.join(", ", set)).append('\n'));
      text.append("\nThe fewest programs to run serializable:\n");
      serializable.forEach(set -> text.append("  ").append(String.join(", ", set)).append('\n'));
      text.append(repairs.isEmpty() ? "" : "\nRepairs, the cheapest first:\n");
      repairs.forEach(repair -> text.append("  ").append(repair).append('\n'));
      return text.toString();
    }

    String toJson() throws IOException {
      Map<String, Object> all = new LinkedHashMap<>();
      all.put("serializable", verdict.isSerializable());
      all.put(
          "dangers",
          verdict.dangers().stream()
              .map(
                  danger ->
                      Map.of(
                          "pivot", danger.pivot().toString(),
                          "others", danger.others().stream().map(Object::toString).toList()))
              .toList());
      all.put("safe", safe);
      all.put("fewestSerializable", serializable);
      all.put(
          "repairs",
          repairs.stream()
              .map(repair -> Map.of("steps", repair.steps(), "cost", repair.cost()))
              .toList());
      return new ObjectMapper()
              .enable(SerializationFeature.INDENT_OUTPUT)
              .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
              .writeValueAsString(all)
          + System.lineSeparator();
    }
  }
}
