package io.retso.advise.learn;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

/**
 * The parts of which the keys of a table are made. A form loses nothing: two keys are equal exactly
 * if their parts are. Immutable.
 */
final class KeyForm {
  /** How keys are cut, the finest first. */
  private enum Cut {
    /** Between letters, digits and each other character. */
    CLASSES,
    /** At each character that is no letter and no digit. */
    SEPARATORS,
    /** After each four bytes, if there are any that are no text: numbers. */
    FOUR,
    /** Not at all. */
    WHOLE
  }

  private final Cut cut;

  /** Tokens of the keys; those that are the same in all keys are no parts. */
  private final List<Boolean> isPart;

  private KeyForm(Cut cut, List<Boolean> isPart) {
    this.cut = cut;
    this.isPart = isPart;
  }

  /** The finest form that all keys have. */
  static KeyForm of(Collection<String> keys) {
    for (Cut cut : Cut.values()) {
      List<List<String>> all = keys.stream().map(key -> tokens(cut, key)).toList();
      if (cut == Cut.WHOLE || fits(cut, all)) {
        return new KeyForm(cut, parts(all));
      }
    }
    throw new AssertionError("whole keys fit always");
  }

  private static boolean fits(Cut cut, List<List<String>> all) {
    if (cut == Cut.FOUR) {
      boolean isBinary =
          all.stream()
              .flatMap(List::stream)
              .anyMatch(t -> t.chars().anyMatch(c -> c < ' ' || c > '~'));
      return isBinary
          && all.stream().map(List::size).distinct().count() <= 1
          && all.stream().flatMap(List::stream).allMatch(token -> token.length() == 4);
    }
    boolean isText =
        all.stream()
            .flatMap(List::stream)
            .allMatch(t -> t.chars().allMatch(c -> c >= ' ' && c <= '~'));
    return isText && all.stream().map(tokens -> skeleton(cut, tokens)).distinct().count() <= 1;
  }

  /** What all keys of a form have in common: the classes of tokens, and separators themselves. */
  private static List<String> skeleton(Cut cut, List<String> tokens) {
    return tokens.stream()
        .map(t -> isSeparator(t) ? t : cut == Cut.CLASSES ? "" + kind(t.charAt(0)) : "")
        .toList();
  }

  private static boolean isSeparator(String token) {
    return token.length() == 1 && kind(token.charAt(0)) == '|';
  }

  private static char kind(char c) {
    return c >= '0' && c <= '9' ? 'd' : c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ? 'a' : '|';
  }

  private static List<String> tokens(Cut cut, String key) {
    List<String> tokens = new ArrayList<>();
    int from = 0;
    for (int i = 1; i <= key.length(); i++) {
      if (i == key.length() || isCut(cut, key, i)) {
        tokens.add(key.substring(from, i));
        from = i;
      }
    }
    return tokens;
  }

  private static boolean isCut(Cut cut, String key, int at) {
    char before = kind(key.charAt(at - 1));
    char behind = kind(key.charAt(at));
    return switch (cut) {
      case CLASSES -> before != behind || before == '|';
      case SEPARATORS -> before == '|' || behind == '|';
      case FOUR -> at % 4 == 0;
      case WHOLE -> false;
    };
  }

  private static List<Boolean> parts(List<List<String>> all) {
    int size = all.stream().mapToInt(List::size).max().orElse(1);
    List<Boolean> isPart = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      TreeSet<String> values = new TreeSet<>();
      int at = i;
      all.forEach(tokens -> values.add(at < tokens.size() ? tokens.get(at) : ""));
      isPart.add(values.size() > 1);
    }
    if (!isPart.contains(true)) {
      isPart.set(0, true); // a table with one row
      for (int i = 1; i < size; i++) {
        isPart.set(i, false);
      }
    }
    return isPart;
  }

  /** The parts of a key. */
  List<String> parts(String key) {
    List<String> tokens = tokens(cut, key);
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < isPart.size(); i++) {
      if (isPart.get(i)) {
        parts.add(i < tokens.size() ? shown(tokens.get(i)) : "");
      }
    }
    return parts;
  }

  /** Four bytes as the number that they are: another table may have it as text. */
  private String shown(String token) {
    if (cut != Cut.FOUR) {
      return token;
    }
    int number = 0;
    for (char c : token.toCharArray()) {
      number = number << 8 | c;
    }
    return String.valueOf(number);
  }

  /** Parts of a prefix. */
  record Prefix(List<String> parts, boolean isExact) {}

  /** Those parts that a prefix has whole: with another token behind it, which ends it. */
  Prefix prefix(String prefix) {
    if (cut == Cut.WHOLE) {
      return new Prefix(List.of(), prefix.isEmpty());
    }
    List<String> tokens = tokens(cut, prefix);
    int whole = tokens.size();
    if (whole > 0 && !isEnded(tokens.get(whole - 1))) {
      whole--;
    }
    List<String> parts = new ArrayList<>();
    for (int i = 0; i < Math.min(whole, isPart.size()); i++) {
      if (isPart.get(i)) {
        parts.add(shown(tokens.get(i)));
      }
    }
    boolean isExact = whole == tokens.size() || whole < isPart.size() && !isPart.get(whole);
    return new Prefix(parts, isExact);
  }

  private boolean isEnded(String token) {
    return cut == Cut.FOUR ? token.length() == 4 : isSeparator(token);
  }
}
