package io.retso.workload.smallbank;

import io.retso.workload.Row;
import java.util.List;
import java.util.Locale;

/** The tables, and the form of their rows. */
final class Accounts {
  static final String ACCOUNT = "account";
  static final String SAVINGS = "savings";
  static final String CHECKING = "checking";
  static final String CONFLICT = "conflict";
  static final List<String> TABLES = List.of(ACCOUNT, SAVINGS, CHECKING, CONFLICT);

  private Accounts() {}

  /** The name of a customer. */
  static String name(int customer) {
    return String.format(Locale.ROOT, "name%06d", customer);
  }

  /** The row of the table that leads from a name to a customer's number. */
  static Row account(String name) {
    return new Row(ACCOUNT, name);
  }

  /** The row of a customer in one of the other tables. */
  static Row row(String table, long customer) {
    return new Row(table, key(customer));
  }

  /** Keys of equal length, so that their order is that of the numbers. */
  private static String key(long customer) {
    String digits = Long.toString(customer);
    return "00000000".substring(digits.length()) + digits;
  }
}
