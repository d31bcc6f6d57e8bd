package io.retso.advise.model;

import io.retso.advise.model.Operation.Kind;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A program of an application: all transactions that run the same code, with parameters of which
 * their row keys are made. Control flow is told by two programs. Immutable; methods return another
 * one.
 *
 * <p>Parameters whose names differ in digits at the end only are of one kind, and may be equal:
 * {@code n1} and {@code n2}. Others never are.
 *
 * <pre>
 *   Program.named("WriteCheck", "n")
 *       .read("account", "n", "id")
 *       .read("saving", "n", "balance")
 *       .read("checking", "n", "balance")
 *       .write("checking", "n", "balance")
 * </pre>
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class Program {
  private final String name;
  private final List<String> parameters;
  private final List<Operation> operations;
  private final List<Set<String>> distinct;
  private final boolean serializable;
  private final double rate;

  private Program(
      String name,
      List<String> parameters,
      List<Operation> operations,
      List<Set<String>> distinct,
      boolean serializable,
      double rate) {
    this.name = name;
    this.parameters = List.copyOf(parameters);
    this.operations = List.copyOf(operations);
    this.distinct = List.copyOf(distinct);
    this.serializable = serializable;
    this.rate = rate;
  }

  /**
   * A program that does nothing yet, under snapshot isolation.
   *
   * @throws ProgramException if a parameter has no name, or two have the same
   */
  public static Program named(String name, String... parameters) {
    Set<String> names = new LinkedHashSet<>(List.of(parameters));
    if (name.isBlank() || names.size() < parameters.length || names.contains("")) {
      throw new ProgramException(
          "program '" + name + "': give it a name, and each parameter one of its own");
    }
    return new Program(name, List.of(parameters), List.of(), List.of(), false, 1);
  }

  /**
   * Adds an operation.
   *
   * @throws ProgramException if its key names what is no parameter
   */
  public Program with(Operation operation) {
    for (String part : operation.key()) {
      if (!isConstant(part) && !parameters.contains(part)) {
        throw new ProgramException(
            name
                + ": "
                + part
                + " in '"
                + operation
                + "' is none of its parameters "
                + parameters
                + "; a constant is quoted: '"
                + part
                + "'");
      }
    }
    List<Operation> more = new ArrayList<>(operations);
    more.add(operation);
    return new Program(name, parameters, more, distinct, serializable, rate);
  }

  /** The name of a parameter without digits: those of one kind may be equal. */
  public static String kind(String parameter) {
    String kind = parameter.replaceAll("\\d+$", "");
    return kind.isEmpty() ? parameter : kind;
  }

  /** Whether a part of a key is a constant. */
  static boolean isConstant(String part) {
    return part.startsWith("'");
  }

  private Program with(Kind kind, String table, String key, String columns) {
    return with(new Operation(kind, table, words(key), Set.copyOf(words(columns))));
  }

  private static List<String> words(String text) {
    return text.isBlank() ? List.of() : List.of(text.trim().split("[ ,]+"));
  }

  /**
   * Reads columns of a row.
   *
   * @param key parameters, with blanks or commas between them
   * @param columns likewise
   */
  public Program read(String table, String key, String columns) {
    return with(Kind.READ, table, key, columns);
  }

  /** Reads columns of all rows whose key begins so; empty: of all rows. */
  public Program scan(String table, String prefix, String columns) {
    return with(Kind.SCAN, table, prefix, columns);
  }

  /** Writes columns of a row; {@code *} if it inserts or deletes it. */
  public Program write(String table, String key, String columns) {
    return with(Kind.WRITE, table, key, columns);
  }

  /** Reads columns of a row by {@code getForUpdate}. */
  public Program lock(String table, String key, String columns) {
    return read(table, key, columns).with(Kind.LOCK, table, key, columns);
  }

  /** Reads columns of a row by {@code getValidated}. */
  public Program validate(String table, String key, String columns) {
    return with(Kind.VALIDATE, table, key, columns);
  }

  /** Never gives these parameters the same value. */
  public Program distinct(String... equalNever) {
    for (String parameter : equalNever) {
      if (!parameters.contains(parameter)) {
        throw new ProgramException(name + ": " + parameter + " is no parameter of it");
      }
    }
    List<Set<String>> more = new ArrayList<>(distinct);
    more.add(new LinkedHashSet<>(List.of(equalNever)));
    return new Program(name, parameters, operations, more, serializable, rate);
  }

  /** Runs it serializable, or under snapshot isolation. */
  public Program serializable(boolean isSerializable) {
    return new Program(name, parameters, operations, distinct, isSerializable, rate);
  }

  /** How often it runs, beside the others; above 0. Default: 1. */
  public Program rate(double perSecond) {
    if (!(perSecond > 0 && perSecond < 1e12)) {
      throw new ProgramException(name + ": a rate must be above 0, and not " + perSecond);
    }
    return new Program(name, parameters, operations, distinct, serializable, perSecond);
  }

  public String name() {
    return name;
  }

  public List<String> parameters() {
    return parameters;
  }

  public List<Operation> operations() {
    return operations;
  }

  /** Parameters that are never equal, set by set. */
  public List<Set<String>> distinct() {
    return distinct;
  }

  public boolean isSerializable() {
    return serializable;
  }

  /** How often it runs, beside the others. */
  public double rate() {
    return rate;
  }

  /** Whether it neither writes nor locks. */
  public boolean isReadOnly() {
    return operations.stream().allMatch(Operation::reads);
  }

  /** As it is written in files. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(name + "(" + String.join(", ", parameters) + ")");
    text.append(serializable ? " serializable" : "");
    distinct.forEach(set -> text.append(" distinct ").append(String.join(", ", set)));
    operations.forEach(operation -> text.append("\n  ").append(operation));
    return text.toString();
  }
}
