package io.retso.client.call;

/** A first-in-first-out list of calls, linked through {@link Call#next}. Event loop only. */
public final class CallList {
  private Call<?> head;
  private Call<?> tail;

  public boolean isEmpty() {
    return head == null;
  }

  Call<?> peek() {
    return head;
  }

  public void add(Call<?> call) {
    assert call.next == null && (head == null || tail.next == null);
    if (head == null) {
      head = call;
    } else {
      tail.next = call;
    }
    tail = call;
  }

  public Call<?> poll() {
    Call<?> first = head;
    if (first != null) {
      head = first.next;
      first.next = null;
      if (head == null) {
        tail = null;
      }
    }
    return first;
  }

  /** Moves all of {@code older} in front of this list's calls. */
  public void addFirst(CallList older) {
    if (older.head == null) {
      return;
    }
    assert older != this && older.tail.next == null;
    if (head == null) {
      tail = older.tail;
    } else {
      older.tail.next = head;
    }
    head = older.head;
    older.head = null;
    older.tail = null;
  }

  /** Takes everything out, as a chain through {@link Call#next}. */
  Call<?> takeAll() {
    Call<?> chain = head;
    head = null;
    tail = null;
    return chain;
  }
}
