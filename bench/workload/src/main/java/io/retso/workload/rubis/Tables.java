package io.retso.workload.rubis;

import io.retso.workload.Keys;
import io.retso.workload.Range;
import io.retso.workload.Row;
import io.retso.workload.rubis.Rows.Item;
import java.util.List;

/** The tables, and the form of their keys. */
final class Tables {
  static final String USER = "rubis_user";

  /** Users by their names. */
  static final String USER_OF_NAME = "rubis_user_of_name";

  static final String ITEM = "rubis_item";

  /** The current bid of each item: a bid writes no item, and a purchase writes no bid. */
  static final String CURRENT = "rubis_current_bid";

  static final String BID = "rubis_bid";
  static final String PURCHASE = "rubis_purchase";
  static final String COMMENT = "rubis_comment";

  /** Items of a category that can be bought. */
  static final String ITEM_OF_CATEGORY = "rubis_item_of_category";

  /** Items of a region that can be bought. */
  static final String ITEM_OF_REGION = "rubis_item_of_region";

  static final List<String> ALL =
      List.of(
          USER,
          USER_OF_NAME,
          ITEM,
          CURRENT,
          BID,
          PURCHASE,
          COMMENT,
          ITEM_OF_CATEGORY,
          ITEM_OF_REGION);

  private static final int GROUP_DIGITS = 2;

  private Tables() {}

  static String key(int number) {
    return Keys.counted(number);
  }

  /** The number of a user or an item by its key. */
  static int numberIn(String key) {
    return Keys.countedIn(key, 0);
  }

  static Row user(int user) {
    return new Row(USER, key(user));
  }

  static Row userOf(int name) {
    return new Row(USER_OF_NAME, key(name));
  }

  static Row item(int item) {
    return new Row(ITEM, key(item));
  }

  static Row current(int item) {
    return new Row(CURRENT, key(item));
  }

  /** A row of a table that has several for each item or user. */
  static Row of(String table, int owner, int number) {
    return new Row(table, key(owner) + key(number));
  }

  /** All rows of a table that has several for each item or user. */
  static Range allOf(String table, int owner) {
    return Range.prefix(table, key(owner));
  }

  /** Whose row it is, in a table that has several for each item or user. */
  static int ownerIn(String key) {
    return numberIn(key.substring(0, ownerLength(key)));
  }

  /** Which of the rows of its owner it is. */
  static int ordinalIn(String key) {
    return Keys.countedIn(key, ownerLength(key));
  }

  private static int ownerLength(String key) {
    return 1 + key.charAt(0) - '0';
  }

  /** The rows of the lists in which an item is that can be bought. */
  static List<Row> lists(Item item, int number) {
    return List.of(
        new Row(ITEM_OF_CATEGORY, Keys.digits(item.category(), GROUP_DIGITS) + key(number)),
        new Row(ITEM_OF_REGION, Keys.digits(item.region(), GROUP_DIGITS) + key(number)));
  }

  /** The items of a category or a region, from one on. */
  static Range listedFrom(String table, int group, int item) {
    return Keys.from(table, Keys.digits(group, GROUP_DIGITS), item);
  }

  /** The item that a row of a list names. */
  static int listedIn(String key) {
    return Keys.countedIn(key, GROUP_DIGITS);
  }

  /** The category or region whose list a row is in. */
  static int groupIn(String key) {
    return Integer.parseInt(key.substring(0, GROUP_DIGITS));
  }
}
