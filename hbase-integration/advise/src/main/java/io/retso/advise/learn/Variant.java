package io.retso.advise.learn;

import io.retso.advise.learn.Learner.Tables;
import io.retso.advise.learn.Recorded.Op;
import java.util.ArrayList;
import java.util.List;

/** Transactions of one name that did the same to the same tables. Not thread-safe. */
final class Variant {
  /**
   * An operation of all of them.
   *
   * @param values of each part of the key, transaction by transaction
   */
  record Step(Op op, List<List<String>> values) {}

  final boolean isSerializable;
  final List<Step> steps = new ArrayList<>();
  String name = "";
  long rate = 1;
  private int size;

  Variant(boolean isSerializable, List<Op> ops, Tables tables) {
    this.isSerializable = isSerializable;
    for (Op op : ops) {
      List<List<String>> values = new ArrayList<>();
      tables.parts(op).forEach(part -> values.add(new ArrayList<>()));
      steps.add(new Step(op, values));
    }
  }

  /** What transactions of one variant have in common. */
  static String shape(Recorded transaction, List<Op> ops, Tables tables) {
    StringBuilder shape = new StringBuilder().append(transaction.isSerializable());
    for (Op op : ops) {
      shape.append(' ').append(op.kind()).append(' ').append(op.table());
      shape.append(op.columns()).append(tables.parts(op).size());
    }
    return shape.toString();
  }

  void add(List<Op> ops, Tables tables) {
    size++;
    for (int i = 0; i < ops.size(); i++) {
      List<String> parts = tables.parts(ops.get(i));
      for (int j = 0; j < parts.size(); j++) {
        steps.get(i).values().get(j).add(parts.get(j));
      }
    }
  }

  int size() {
    return size;
  }
}
