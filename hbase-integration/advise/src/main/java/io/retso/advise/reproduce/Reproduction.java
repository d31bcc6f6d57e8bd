package io.retso.advise.reproduce;

import io.retso.advise.model.Danger;
import io.retso.advise.model.Instance;
import io.retso.advise.model.Operation;
import io.retso.advise.model.Operation.Kind;
import io.retso.advise.model.Programs;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A danger as a test of JUnit 5 that shows it on a real oracle and HBase, by {@code retso-testkit}:
 * as the programs are, all of its transactions commit; serializable ones do not. Immutable.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class Reproduction {
  private static final String HEAD =
      """
      import io.retso.hbase.Transaction;
      import io.retso.hbase.errors.ConflictException;
      import io.retso.hbase.errors.SerializationException;
      import io.retso.hbase.options.Conflicts;
      import io.retso.hbase.options.Isolation;
      import io.retso.testkit.DangerTest;
      import java.io.IOException;

      """;

  private final Danger danger;
  private final Programs programs;
  private final String packageName;
  private final String className;

  private Reproduction(Danger danger, Programs programs, String packageName, String className) {
    this.danger = danger;
    this.programs = programs;
    this.packageName = packageName;
    this.className = className;
  }

  /**
   * A test of a danger.
   *
   * @param programs of which it is one
   * @param packageName of the class; may be empty
   * @throws IllegalArgumentException if one of the names is none of Java
   */
  public static Reproduction of(
      Danger danger, Programs programs, String packageName, String className) {
    String name = "\\p{javaJavaIdentifierStart}\\p{javaJavaIdentifierPart}*";
    if (!className.matches(name) || !packageName.matches("(?:" + name + "(?:\\." + name + ")*)?")) {
      throw new IllegalArgumentException(
          packageName + "." + className + " is no name of a class: letters, digits and _");
    }
    return new Reproduction(danger, programs, packageName, className);
  }

  /** The source. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(packageName.isEmpty() ? "" : "package " + packageName + ";\n\n").append(HEAD);
    text.append("/**\n * What snapshot isolation lets happen, and no serial order explains:\n *\n");
    text.append(" * <ol>\n");
    danger.schedule().forEach(step -> text.append(" *   <li>").append(step).append('\n'));
    text.append(" * </ol>\n */\n");
    text.append("class ").append(className).append(" extends DangerTest {\n");
    createTables(text);
    schedule(text);
    return text.append("}\n").toString();
  }

  private static String begin(Instance of) {
    String isolation = of.program().isSerializable() ? "SERIALIZABLE" : "SNAPSHOT";
    return "begin(" + quoted(of.program().name()) + ", Isolation." + isolation + ")";
  }

  private List<Instance> all() {
    List<Instance> all = new ArrayList<>(danger.others());
    all.add(danger.pivot());
    return all;
  }

  private void createTables(StringBuilder text) {
    Set<String> tables =
        all().stream()
            .flatMap(instance -> instance.program().operations().stream())
            .map(Operation::table)
            .collect(Collectors.toCollection(TreeSet::new));
    text.append("  @Override\n  protected void createTables() throws IOException {\n");
    for (String table : tables) {
      text.append("    create(").append(quoted(table)).append(", Conflicts.");
      text.append(programs.conflicts(table)).append(");\n");
    }
    text.append("  }\n\n");
  }

  private void schedule(StringBuilder text) {
    Instance pivot = danger.pivot();
    text.append("  @Override\n  protected void runSchedule() throws IOException {\n");
    text.append("    try (Transaction pivot = ").append(begin(pivot)).append(") {\n");
    calls(text, "      ", "pivot", pivot, true);
    for (Instance other : danger.others()) {
      text.append("      try (Transaction other = ").append(begin(other)).append(") {\n");
      calls(text, "        ", "other", other, true);
      calls(text, "        ", "other", other, false);
      text.append("        other.commit();\n");
      text.append("      } catch (ConflictException | SerializationException e) {\n");
      text.append("        refused(").append(quoted(other.toString())).append(", e);\n");
      text.append("      }\n");
    }
    calls(text, "      ", "pivot", pivot, false);
    text.append(
        "      pivot.commit();\n    } catch (ConflictException | SerializationException e) {\n");
    text.append("      refused(").append(quoted(pivot.toString())).append(", e);\n");
    text.append("    }\n  }\n");
  }

  /** Calls for what it reads, or for what it writes and locks. */
  private static void calls(
      StringBuilder text, String indent, String tx, Instance of, boolean reads) {
    for (Operation operation : of.program().operations()) {
      if (operation.reads() != reads) {
        continue;
      }
      List<String> key = of.key(operation);
      String row =
          String.join("/", key) + (key.isEmpty() && operation.kind() != Kind.SCAN ? "-" : "");
      // Rows end with the sign, too: otherwise the prefix 1 would have the row 10.
      row += row.isEmpty() ? "" : "/";
      text.append(indent).append(operation.kind().word()).append('(').append(tx).append(", ");
      text.append(quoted(operation.table())).append(", ").append(quoted(row));
      if (operation.kind() != Kind.SCAN) {
        // A row that is inserted has some cell. A read of whether it is there reads all of it.
        operation.columns().stream()
            .filter(
                column ->
                    operation.kind() == Kind.WRITE
                        ? operation.columns().size() == 1 || !column.equals(Operation.EXISTENCE)
                        : !operation.columns().contains(Operation.EXISTENCE))
            .sorted()
            .forEach(column -> text.append(", ").append(quoted(column)));
      }
      text.append(");\n");
    }
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
