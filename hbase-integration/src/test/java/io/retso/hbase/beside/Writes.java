package io.retso.hbase.beside;

import io.retso.hbase.beside.Statement.Way;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Random changes. Within lists and row mutations none fails at its turn, as increments are of
 * numbers: what is carried out of a list with a failure is a known difference.
 */
final class Writes {
  private static final int MANY_COLUMNS = 300;

  private Writes() {}

  static Statement of(Draw draw) {
    byte[] row = draw.row();
    List<byte[]> rows = draw.rows(4);
    return switch (draw.below(20)) {
      case 0, 1, 2, 3 -> new Statement(Way.PUT, List.of(put(draw, row)));
      case 4, 5 -> new Statement(Way.PUT_ALL, rows.stream().map(r -> put(draw, r)).toList());
      case 6, 7 -> new Statement(Way.DELETE, List.of(delete(draw, row)));
      case 8 -> new Statement(Way.DELETE_ALL, rows.stream().map(r -> delete(draw, r)).toList());
      case 9, 10 -> new Statement(Way.INCREMENT, List.of(increment(draw, row, draw.oneIn(4))));
      case 11, 12 -> new Statement(Way.APPEND, List.of(append(draw, row)));
      case 13, 14 -> new Statement(Way.MUTATE_ROW, List.of(rowMutations(draw, row)));
      case 15, 16 -> new Statement(Way.CHECK_AND_MUTATE, List.of(checkAndMutate(draw, row)));
      case 17 ->
          new Statement(
              Way.CHECK_AND_MUTATE_ALL, rows.stream().map(r -> checkAndMutate(draw, r)).toList());
      default -> new Statement(Way.BATCH, rows.stream().map(r -> action(draw, r)).toList());
    };
  }

  private static Put put(Draw draw, byte[] row) {
    Put put = new Put(row);
    if (draw.oneIn(25)) {
      byte[] family = draw.family();
      for (int i = 0; i < MANY_COLUMNS; i++) {
        put.addColumn(family, Bytes.toBytes("column" + i), draw.value(family));
      }
    }
    for (int i = draw.below(4); i >= 0; i--) {
      byte[] family = draw.family();
      byte[] qualifier = draw.qualifier();
      put.addColumn(
          family, qualifier.length == 0 && draw.oneIn(2) ? null : qualifier, draw.value(family));
    }
    return put;
  }

  private static Delete delete(Draw draw, byte[] row) {
    Delete delete = new Delete(row);
    for (int i = draw.oneIn(4) ? 0 : 1 + draw.below(3); i > 0; i--) {
      if (draw.oneIn(4)) {
        delete.addFamily(draw.family());
      } else {
        delete.addColumns(draw.family(), draw.qualifier());
      }
    }
    return delete;
  }

  /** One of a value that may be no number fails. */
  private static Increment increment(Draw draw, byte[] row, boolean mayFail) {
    Increment increment = new Increment(row);
    for (int i = draw.below(3); i >= 0; i--) {
      byte[] family = mayFail ? draw.family() : Draw.NUMBERS;
      increment.addColumn(family, draw.qualifier(), draw.amount());
    }
    return increment.setReturnResults(!draw.oneIn(4));
  }

  private static Append append(Draw draw, byte[] row) {
    Append append = new Append(row);
    for (int i = draw.below(3); i >= 0; i--) {
      append.addColumn(draw.familyOfAnything(), draw.qualifier(), draw.value());
    }
    return append.setReturnResults(!draw.oneIn(4));
  }

  private static Mutation mutation(Draw draw, byte[] row) {
    return switch (draw.below(6)) {
      case 0, 1 -> put(draw, row);
      case 2, 3 -> delete(draw, row);
      case 4 -> increment(draw, row, false);
      default -> append(draw, row);
    };
  }

  private static RowMutations rowMutations(Draw draw, byte[] row) {
    List<Mutation> mutations = new ArrayList<>();
    for (int i = draw.below(3); i >= 0; i--) {
      mutations.add(mutation(draw, row));
    }
    try {
      return RowMutations.of(mutations);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static CheckAndMutate checkAndMutate(Draw draw, byte[] row) {
    CheckAndMutate.Builder check = CheckAndMutate.newBuilder(row);
    byte[] family = draw.family();
    switch (draw.below(4)) {
      case 0 -> check.ifNotExists(family, draw.qualifier());
      case 1 -> check.ifEquals(family, draw.qualifier(), draw.value(family));
      case 2 ->
          check.ifMatches(family, draw.qualifier(), Filters.operator(draw), draw.value(family));
      default -> check.ifMatches(Filters.of(draw));
    }
    return switch (draw.below(5)) {
      case 0 -> check.build(put(draw, row));
      case 1 -> check.build(delete(draw, row));
      case 2 -> check.build(increment(draw, row, false));
      case 3 -> check.build(append(draw, row));
      default -> check.build(rowMutations(draw, row));
    };
  }

  private static Row action(Draw draw, byte[] row) {
    return switch (draw.below(5)) {
      case 0 -> ReadStatements.get(draw, row);
      case 1 -> rowMutations(draw, row);
      case 2 -> checkAndMutate(draw, row);
      default -> mutation(draw, row);
    };
  }
}
