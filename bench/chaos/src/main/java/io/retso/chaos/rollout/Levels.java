package io.retso.chaos.rollout;

/**
 * What a member asks of connections and of clients: each is off, optional or required.
 *
 * @param tls in the words of the access file
 * @param auth the same
 */
record Levels(String tls, String auth) {
  static final Levels OFF = new Levels("off", "off");
  static final Levels OPTIONAL = new Levels("optional", "optional");
  static final Levels ENCRYPTED = new Levels("required", "optional");
  static final Levels REQUIRED = new Levels("required", "required");

  /** Whether its ports take TLS. */
  boolean takeTls() {
    return !tls.equals("off");
  }

  /** An access file of these levels, otherwise like another one. */
  String in(String accessFile) {
    return accessFile
        .replaceFirst("(?m)^tls .*$", "tls " + tls)
        .replaceFirst("(?m)^auth .*$", "auth " + auth);
  }

  @Override
  public String toString() {
    return "tls " + tls + ", auth " + auth;
  }
}
