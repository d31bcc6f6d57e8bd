package io.retso.advise.repair;

import io.retso.advise.model.Operation;
import io.retso.advise.model.Operation.Kind;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * One change of programs, with what it costs. Immutable.
 *
 * @param kind of change
 * @param program that is changed
 * @param operation whose row it is about; {@code null} of a program that is to be serializable
 */
record Step(Kind kind, String program, Operation operation) implements Comparable<Step> {
  /** Kinds of changes, the cheapest first. */
  enum Kind {
    VALIDATE(1),
    SERIALIZABLE(2),
    LOCK(3),
    PROMOTE(4),
    MATERIALIZE(5);

    final double cost;

    Kind(double cost) {
      this.cost = cost;
    }
  }

  /** What a program costs in addition that only read before: its commits are logged. */
  private static final double FIRST_WRITE = 10;

  /** What a conflict costs: the whole transaction, again. */
  private static final double CONFLICT = 4;

  static final String MATERIALIZED = "conflict_";

  /** The programs with it. */
  Programs applyTo(Programs programs) {
    Program changed = programs.get(program);
    return programs.with(
        switch (kind) {
          case SERIALIZABLE -> changed.serializable(true);
          case VALIDATE -> changed.with(again(Operation.Kind.VALIDATE, operation.columns()));
          case LOCK -> changed.with(again(Operation.Kind.LOCK, operation.columns()));
          case PROMOTE -> changed.with(again(Operation.Kind.WRITE, operation.columns()));
          case MATERIALIZE ->
              changed.with(
                  new Operation(
                      Operation.Kind.WRITE,
                      MATERIALIZED + operation.table() + "_" + operation.key().size(),
                      operation.key(),
                      Set.of(Operation.EXISTENCE)));
        });
  }

  private Operation again(Operation.Kind as, Set<String> columns) {
    return new Operation(as, operation.table(), operation.key(), columns);
  }

  /** See {@link io.retso.advise.Advise#repairs}. */
  double cost(Programs programs) {
    Program changed = programs.get(program);
    double all = programs.all().stream().mapToDouble(Program::rate).sum();
    boolean writes = kind != Kind.VALIDATE && kind != Kind.SERIALIZABLE;
    double one = kind.cost + (writes && changed.isReadOnly() ? FIRST_WRITE : 0);
    if (operation != null) {
      double others =
          programs.all().stream()
              .filter(other -> !other.name().equals(program) && protects(other))
              .mapToDouble(Program::rate)
              .sum();
      one += CONFLICT * others / all;
    }
    return one * changed.rate() / all * programs.all().size();
  }

  /** Whether a program writes or locks rows of the table. */
  private boolean protects(Program other) {
    return other.operations().stream()
        .anyMatch(o -> o.table().equals(operation.table()) && !o.reads());
  }

  @Override
  public int compareTo(Step other) {
    return key().compareTo(other.key());
  }

  /** What tells it from others: its words leave columns out. */
  private String key() {
    return this + " " + kind + " " + operation;
  }

  /** What to do, in words. */
  @Override
  public String toString() {
    if (operation == null) {
      return program + " runs serializable";
    }
    String row =
        operation.table()
            + (operation.key().isEmpty() ? "" : "[" + String.join(", ", operation.key()) + "]");
    return switch (kind) {
      case VALIDATE -> program + " validates its read of " + row + " (getValidated)";
      case LOCK -> program + " locks " + row + " (getForUpdate)";
      case PROMOTE ->
          program
              + " writes what it has read of "
              + row
              + " ("
              + String.join(", ", new TreeSet<>(operation.columns()))
              + ")";
      case MATERIALIZE ->
          program
              + " writes a row of its own for "
              + row
              + " (addWriteConflict, or a table for it)";
      case SERIALIZABLE -> throw new AssertionError();
    };
  }

  static List<Operation> readsOf(Program program) {
    return program.operations().stream().filter(Operation::reads).toList();
  }
}
