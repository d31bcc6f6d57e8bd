package io.retso.verify.lists;

import io.retso.verify.history.Step;
import java.util.List;
import java.util.stream.Stream;

/** Something that a transaction does with one or more lists, in one or more calls of the store. */
public sealed interface Action {

  /** The lists that it reads, in their order. */
  default List<ListKey> reads() {
    return List.of();
  }

  /** What it appends behind its reads, in their order. */
  default List<Append> appends() {
    return List.of();
  }

  /** The steps of the history that it consists of, in their order; reads without values. */
  default List<Step> steps() {
    return Stream.concat(
            reads().stream().map(key -> Step.read(key.number())),
            appends().stream().map(append -> Step.append(append.key.number(), append.value)))
        .toList();
  }

  /** Whether it appends to a list, or tries to. */
  default boolean isWrite() {
    return this instanceof CheckInVain || !appends().isEmpty();
  }

  /** Reads lists, of one table if they are several. */
  record Get(List<ListKey> keys) implements Action {
    @Override
    public List<ListKey> reads() {
      return keys;
    }
  }

  /** Reads lists of one table by a scan from the first of their rows to the last. */
  record Scan(List<ListKey> keys, boolean reversed) implements Action {
    @Override
    public List<ListKey> reads() {
      return keys;
    }
  }

  /** How a value gets to the end of a list. */
  enum Way {
    /** The list is read, and put back with the value. */
    PUT,
    /** As {@link #PUT}, by a checkAndMutate that expects what was read. */
    CHECK_AND_PUT,
    /** HBase's append of bytes. */
    APPEND
  }

  /** Appends to a list. */
  record Append(ListKey key, long value, Way way) implements Action {
    @Override
    public List<Append> appends() {
      return List.of(this);
    }
  }

  /** Reads and appends to lists of one table, all different, by one batch. */
  record Batch(List<ListKey> reads, List<Append> appends) implements Action {}

  /**
   * Appends to a list by a checkAndMutate on a condition that is false, whatever the list: that it
   * has the value already. So it appends nothing. Then it reads the list.
   *
   * @param value that is appended to no list
   */
  record CheckInVain(ListKey key, long value) implements Action {
    @Override
    public List<ListKey> reads() {
      return List.of(key);
    }
  }

  /** Does nothing for a while, so that the snapshot gets old. */
  record Pause(long millis) implements Action {}
}
