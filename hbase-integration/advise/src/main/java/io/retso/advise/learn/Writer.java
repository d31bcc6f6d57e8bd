package io.retso.advise.learn;

import io.retso.advise.learn.Learner.Tables;
import io.retso.advise.learn.Recorded.Op;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Writes variants as a file of programs. Parts of keys that have been one parameter somewhere are
 * of one kind everywhere, so that what may be equal is never told apart. Not thread-safe.
 */
final class Writer {
  private final Tables tables;
  private final List<Variant> variants;
  private final List<String> notes;

  /** The place of which a place is of the kind: a table, and a part of its key. */
  private final Map<String, String> above = new TreeMap<>();

  Writer(Tables tables, List<Variant> variants, List<String> notes) {
    this.tables = tables;
    this.variants = variants;
    this.notes = notes;
  }

  String yaml() {
    StringBuilder text =
        new StringBuilder("# Learned from a recording. What did not run in it is not covered.\n");
    text.append("# Rates are numbers of transactions.\n");
    List<String> byCell =
        tables.byCell().entrySet().stream()
            .filter(Map.Entry::getValue)
            .map(table -> "  " + table.getKey() + ": cell\n")
            .toList();
    text.append(byCell.isEmpty() ? "" : "tables:\n" + String.join("", byCell));
    text.append("programs:\n");
    variants.forEach(this::join);
    Map<String, String> kinds = kinds();
    variants.forEach(variant -> write(text, variant, kinds));
    return text.toString();
  }

  private interface PartVisitor {
    void visit(String place, List<String> values);
  }

  private static void forEachPart(Variant variant, PartVisitor visitor) {
    for (Variant.Step step : variant.steps) {
      for (int i = 0; i < step.values().size(); i++) {
        visitor.visit(step.op().table() + " " + i, step.values().get(i));
      }
    }
  }

  private static boolean isConstant(List<String> values) {
    return values.size() >= Learner.CONSTANT_EACH && new HashSet<>(values).size() == 1;
  }

  /** Places with one parameter are of one kind. */
  private void join(Variant variant) {
    Map<List<String>, String> first = new LinkedHashMap<>();
    forEachPart(
        variant,
        (place, values) -> {
          above.putIfAbsent(place, place);
          String known = first.putIfAbsent(values, place);
          if (known != null && !isConstant(values)) {
            above.put(root(place), root(known));
          }
        });
  }

  private String root(String place) {
    String root = place;
    while (!above.get(root).equals(root)) {
      root = above.get(root);
    }
    return root;
  }

  /** A word for each kind, by its first place; without digits, which would say another kind. */
  private Map<String, String> kinds() {
    Map<String, String> kinds = new TreeMap<>();
    Set<String> taken = new HashSet<>();
    for (String place : above.keySet()) {
      String root = root(place);
      if (!kinds.containsKey(root)) {
        String table = place.substring(0, place.indexOf(' ')).replaceAll("^.*:", "");
        String word = table.replaceAll("[^A-Za-z_]", "");
        word = word.isEmpty() ? "key" : word;
        while (!taken.add(word)) {
          word += "_";
        }
        kinds.put(root, word);
      }
    }
    return kinds;
  }

  private void write(StringBuilder text, Variant variant, Map<String, String> kinds) {
    Map<List<String>, String> names = new LinkedHashMap<>();
    Map<String, List<List<String>>> ofKind = new TreeMap<>();
    forEachPart(
        variant,
        (place, values) -> {
          String kind = kinds.get(root(place));
          List<List<String>> known = ofKind.computeIfAbsent(kind, key -> new ArrayList<>());
          if (!isConstant(values) && !known.contains(values)) {
            known.add(values);
            names.put(values, kind + known.size());
          }
        });
    text.append("  # ").append(variant.size()).append(" transactions in the recording\n");
    text.append("  - program: ").append(variant.name).append('(');
    text.append(String.join(", ", names.values())).append(")\n");
    text.append("    rate: ").append(variant.rate).append('\n');
    text.append(variant.isSerializable ? "    isolation: serializable\n" : "");
    neverEqual(text, ofKind, names);
    text.append("    do:\n");
    for (Variant.Step step : variant.steps) {
      text.append("      - ").append(line(step, names)).append('\n');
    }
    forEachPart(
        variant,
        (place, values) -> {
          if (isConstant(values)) {
            notes.add(
                variant.name
                    + ", key of "
                    + place.substring(0, place.indexOf(' '))
                    + ": a part was the same in all "
                    + values.size()
                    + " transactions, and counts as a constant");
          }
        });
    if (variant.size() < Learner.SELDOM) {
      notes.add(
          variant.name
              + " ran "
              + variant.size()
              + " times only, so that keys may be equal by chance: read what was learned of it");
    }
  }

  /** That values differed is no proof: it is left to the reader. */
  private static void neverEqual(
      StringBuilder text, Map<String, List<List<String>>> ofKind, Map<List<String>, String> names) {
    for (List<List<String>> known : ofKind.values()) {
      boolean differ = known.size() > 1;
      for (int i = 0; differ && i < known.size(); i++) {
        for (int j = 0; differ && j < i; j++) {
          for (int k = 0; differ && k < known.get(i).size(); k++) {
            differ = !known.get(i).get(k).equals(known.get(j).get(k));
          }
        }
      }
      if (differ) {
        text.append("    # If these are never equal, and not only were not:\n    # distinct: [");
        text.append(known.stream().map(names::get).collect(Collectors.joining(", ")));
        text.append("]\n");
      }
    }
  }

  private String line(Variant.Step step, Map<List<String>, String> names) {
    Op op = step.op();
    List<String> key = new ArrayList<>();
    for (List<String> values : step.values()) {
      key.add(isConstant(values) ? "'" + word(values.get(0)) + "'" : names.get(values));
    }
    String row = op.table() + (key.isEmpty() ? "" : "[" + String.join(", ", key) + "]");
    Set<String> columns = new TreeSet<>();
    op.columns().forEach(column -> columns.add(column.equals("*") ? column : word(column)));
    return kind(op.kind()) + " " + row + (isOfRow(op) ? "" : "." + String.join(", ", columns));
  }

  /** Where conflicts are by cell, the cells are named; that they are read, too, alarms at worst. */
  private boolean isOfRow(Op op) {
    return op.kind().equals("addWriteConflict") && !tables.byCell().getOrDefault(op.table(), false);
  }

  private static String kind(String recorded) {
    return switch (recorded) {
      case "get", "getUntracked" -> "read";
      case "scan", "scanUntracked" -> "scan";
      case "getForUpdate", "addWriteConflict" -> "lock";
      case "getValidated", "addReadConflict" -> "validate";
      default -> "write";
    };
  }

  /** Text for a file: other characters by their numbers, so that different ones stay different. */
  private static String word(String text) {
    StringBuilder word = new StringBuilder();
    for (char c : text.toCharArray()) {
      boolean isPlain = c == ':' || c >= '0' && c <= '9' || Character.isLetter(c) && c < 128;
      word.append(isPlain ? String.valueOf(c) : "_" + Integer.toHexString(c));
    }
    return word.toString();
  }
}
