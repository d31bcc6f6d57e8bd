package io.retso.hbase.beside;

import io.retso.hbase.layout.Tombstone;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Names and values drawn at random, nasty ones with preference. Each array is a new one, and is
 * remembered: {@link #spoil} overwrites them, as an application may when its call has returned.
 */
final class Draw {
  /** Families; the second is the only one with increments, and has 8-byte values only. */
  static final List<String> FAMILIES = List.of("f", "number", "z".repeat(40));

  static final byte[] NUMBERS = Bytes.toBytes("number");

  private static final byte[][] ROWS = {
    {0},
    {0, 0},
    {'!'},
    {'a'},
    {'a', 0},
    {'a', 'a'},
    {'b', (byte) 0xff},
    {'m'},
    {'m', 0},
    {(byte) 0x7f},
    {(byte) 0x80},
    {(byte) 0xff},
    {(byte) 0xff, (byte) 0xff},
    filled(3_000, 'r'),
  };

  /** The first one only where empty qualifiers are wanted. */
  private static final byte[][] QUALIFIERS = {
    {},
    {0},
    {0, 0},
    {'a'},
    {'a', 0},
    {'a', 'b'},
    {'b'},
    {(byte) 0xff},
    {(byte) 0xff, (byte) 0xff},
    filled(500, 'q'),
  };

  private final Random random;
  private final boolean emptyQualifiers;
  private final List<byte[]> given = new ArrayList<>();

  /** Whether only each third row and qualifier is drawn, and values are short and differ. */
  private final boolean isNarrow;

  Draw(long seed, boolean emptyQualifiers) {
    this(seed, emptyQualifiers, false);
  }

  private Draw(long seed, boolean emptyQualifiers, boolean isNarrow) {
    this.random = new Random(seed);
    this.emptyQualifiers = emptyQualifiers;
    this.isNarrow = isNarrow;
  }

  /** One of few names, so that those who draw meet often. */
  static Draw narrow(long seed) {
    return new Draw(seed, false, true);
  }

  private int name(int from, int to) {
    int step = isNarrow ? 3 : 1;
    return from + step * random.nextInt((to - from + step - 1) / step);
  }

  private static byte[] filled(int length, char with) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) with);
    return bytes;
  }

  /** From 0 to below the bound. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  <T> T oneOf(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  byte[] row() {
    return given(ROWS[name(0, ROWS.length)].clone());
  }

  /** Some rows, no two equal. */
  List<byte[]> rows(int atMost) {
    List<Integer> all =
        new ArrayList<>(
            IntStream.range(0, ROWS.length).filter(i -> !isNarrow || i % 3 == 0).boxed().toList());
    Collections.shuffle(all, random);
    return all.subList(0, 1 + random.nextInt(atMost)).stream()
        .map(i -> given(ROWS[i].clone()))
        .toList();
  }

  byte[] family() {
    return given(Bytes.toBytes(oneOf(FAMILIES)));
  }

  /** One whose values are of any kind. */
  byte[] familyOfAnything() {
    return given(Bytes.toBytes(oneIn(2) ? FAMILIES.get(0) : FAMILIES.get(2)));
  }

  byte[] qualifier() {
    int first = emptyQualifiers ? 0 : 1;
    if (emptyQualifiers && oneIn(6)) {
      return given(new byte[0]);
    }
    return given(QUALIFIERS[name(first, QUALIFIERS.length)].clone());
  }

  /** A value that fits the family. */
  byte[] value(byte[] family) {
    return Bytes.equals(family, NUMBERS) ? number() : value();
  }

  byte[] number() {
    return given(Bytes.toBytes(amount()));
  }

  long amount() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> -random.nextInt(100);
      case 2 -> random.nextLong();
      default -> 1 + random.nextInt(3);
    };
  }

  byte[] value() {
    if (isNarrow) {
      return given(Bytes.toBytes("v" + random.nextInt(1_000)));
    }
    byte[] value =
        switch (random.nextInt(12)) {
          case 0, 1 -> new byte[0];
          case 2 -> new byte[] {0};
          case 3 -> new byte[] {(byte) 0xff};
          case 4 -> Bytes.toBytes(random.nextLong());
          case 5 -> almostTombstone();
          case 6 -> filled(random.nextInt(20_000), 'v');
          default -> Bytes.toBytes("v" + random.nextInt(20));
        };
    return given(oneIn(60) ? Tombstone.value() : value);
  }

  private static byte[] almostTombstone() {
    byte[] value = Tombstone.value();
    value[15]++;
    return value;
  }

  private byte[] given(byte[] array) {
    given.add(array);
    return array;
  }

  /** Overwrites all arrays that were drawn. */
  void spoil() {
    given.forEach(array -> Arrays.fill(array, (byte) 'x'));
  }
}
