package io.retso.security;

import io.retso.protocol.Authentication.Level;
import io.retso.security.Access.Grant;
import io.retso.security.Access.NameRule;
import io.retso.security.Access.Source;
import io.retso.text.ErrorText;
import io.retso.text.Visible;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Reads an access file. A line is one of these; {@code #} begins a comment, at the beginning of a
 * line or behind a blank.
 *
 * <pre>
 *   tls LEVEL                          LEVEL is off, optional or required
 *   auth LEVEL
 *   name SOURCE PATTERN = PRINCIPAL    SOURCE is CN, DNS or URI of a certificate, or KRB for the name
 *                                      in Kerberos; PATTERN a regular expression for all of it, $1
 *                                      in PRINCIPAL its first group
 *   may ROLE PRINCIPAL... [from NETWORK...]    * in PRINCIPAL stands for any characters
 *   vouch PRINCIPAL...                 for which region servers may; * as before
 *   revoked principal PRINCIPAL [before TIME]
 *   revoked token ID
 * </pre>
 *
 * <p>One that is not understood is refused as a whole. Of one thread.
 */
public final class AccessFile {
  static final int BYTES_MAX = 1 << 20;
  static final int LINES_MAX = 10_000;

  private static final Pattern COMMENT = Pattern.compile("(^|\\s)#.*$");

  private final String where;
  private final List<NameRule> names = new ArrayList<>();
  private final List<Grant> grants = new ArrayList<>();
  private final List<Pattern> vouched = new ArrayList<>();
  private final Map<String, Instant> revokedPrincipals = new HashMap<>();
  private final Set<String> revokedTokens = new HashSet<>();
  private Level tls;
  private Level authentication;
  private int line;

  private AccessFile(String where) {
    this.where = where;
  }

  /** Reads a file, which others must not be able to change. */
  public static Access read(Path file) throws AccessException {
    try {
      PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
      if (view != null) {
        Set<PosixFilePermission> some = view.readAttributes().permissions();
        if (some.contains(PosixFilePermission.OTHERS_WRITE)
            || some.contains(PosixFilePermission.GROUP_WRITE)) {
          throw new AccessException(
              file + " can be changed by others: chmod 640 it, and look at what it says");
        }
      }
      if (Files.size(file) > BYTES_MAX) {
        throw new AccessException(file + " has more than " + BYTES_MAX + " bytes");
      }
      byte[] bytes = Files.readAllBytes(file);
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return parse(file.toString(), text);
    } catch (CharacterCodingException e) {
      throw new AccessException(file + " is not UTF-8 text");
    } catch (IOException e) {
      throw new AccessException("cannot read the access file " + ErrorText.of(e));
    }
  }

  /**
   * Reads a text.
   *
   * @param where it comes from, for messages
   */
  public static Access parse(String where, String text) throws AccessException {
    AccessFile file = new AccessFile(where);
    String[] lines = text.split("\\R", -1);
    if (lines.length > LINES_MAX) {
      throw new AccessException(where + " has more than " + LINES_MAX + " lines");
    }
    for (String line : lines) {
      file.line++;
      String words = COMMENT.matcher(line).replaceFirst("").strip();
      if (!words.isEmpty()) {
        file.take(words.split("\\s+"));
      }
    }
    return file.whole(digest(text));
  }

  private static String digest(String text) {
    try {
      byte[] sha =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(sha, 0, Integer.BYTES * 2);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no SHA-256", e);
    }
  }

  private Access whole(String digest) throws AccessException {
    if (tls == null || authentication == null) {
      throw new AccessException(
          where
              + " lacks a line \""
              + (tls == null ? "tls" : "auth")
              + " required\" (or optional, off)");
    }
    if (authentication.ordinal() > tls.ordinal()) {
      throw new AccessException(
          where
              + " asks more of clients than of their connections: in clear they cannot prove"
              + " their identity, so set tls to "
              + word(authentication)
              + ", too");
    }
    return new Access(
        tls,
        authentication,
        List.copyOf(names),
        List.copyOf(grants),
        List.copyOf(vouched),
        Map.copyOf(revokedPrincipals),
        Set.copyOf(revokedTokens),
        digest);
  }

  /** How a level is written. */
  public static String word(Level level) {
    return level.name().toLowerCase(Locale.ROOT);
  }

  private void take(String[] words) throws AccessException {
    switch (words[0]) {
      case "tls" -> tls = level(words, tls);
      case "auth" -> authentication = level(words, authentication);
      case "name" -> names.add(name(words));
      case "may" -> grant(words);
      case "vouch" -> vouch(words);
      case "revoked" -> revoke(words);
      default ->
          throw wrong(
              "'"
                  + Visible.of(words[0])
                  + "' is not known: use tls, auth, name, may, vouch, revoked");
    }
  }

  private Level level(String[] words, Level before) throws AccessException {
    if (before != null) {
      throw wrong(words[0] + " was set before: keep one of them");
    }
    if (words.length == 2) {
      for (Level level : Level.values()) {
        if (words[1].equals(word(level))) {
          return level;
        }
      }
    }
    throw wrong(words[0] + " is off, optional or required");
  }

  private NameRule name(String[] words) throws AccessException {
    String form = "write name CN PATTERN = PRINCIPAL; or DNS, URI or KRB instead of CN";
    if (words.length != 5 || !words[3].equals("=")) {
      throw wrong(form);
    }
    Source source =
        Arrays.stream(Source.values())
            .filter(some -> some.name().equals(words[1]))
            .findFirst()
            .orElseThrow(() -> wrong(form));
    try {
      Pattern pattern = Pattern.compile(words[2]);
      int groups = pattern.matcher("").groupCount();
      if (!words[4].matches("(?:[!-~&&[^\\\\$]]|\\$[1-9])+") || groupsIn(words[4]) > groups) {
        throw wrong(
            Visible.of(words[4]) + " is no principal: use printable ASCII, and $1 to $" + groups);
      }
      return new NameRule(source, pattern, words[4]);
    } catch (PatternSyntaxException e) {
      throw wrong(Visible.of(words[2]) + " is no regular expression: " + e.getDescription());
    }
  }

  private static int groupsIn(String principal) {
    int most = 0;
    for (int i = principal.indexOf('$'); i >= 0; i = principal.indexOf('$', i + 1)) {
      most = Math.max(most, Character.digit(principal.charAt(i + 1), 10));
    }
    return most;
  }

  private void grant(String[] words) throws AccessException {
    String known = String.join(", ", Arrays.stream(Role.values()).map(Role::word).toList());
    Role role =
        Role.of(words.length > 1 ? words[1] : "")
            .orElseThrow(() -> wrong("write may ROLE PRINCIPAL; roles are " + known));
    List<String> rest = List.of(words).subList(2, words.length);
    int from = rest.indexOf("from");
    List<String> principals = from < 0 ? rest : rest.subList(0, from);
    List<String> places = from < 0 ? List.of() : rest.subList(from + 1, rest.size());
    if (principals.isEmpty() || from >= 0 && places.isEmpty()) {
      throw wrong("write may " + role.word() + " PRINCIPAL... [from NETWORK...]");
    }
    List<Networks> networks = new ArrayList<>();
    for (String place : places) {
      networks.add(
          Networks.of(place)
              .orElseThrow(
                  () -> wrong(Visible.of(place) + " is no network: write one as 10.0.0.0/8")));
    }
    for (String principal : principals) {
      grants.add(new Grant(role, glob(principal), List.copyOf(networks)));
    }
  }

  private void vouch(String[] words) throws AccessException {
    if (words.length == 1) {
      throw wrong("write vouch PRINCIPAL...");
    }
    for (String principal : List.of(words).subList(1, words.length)) {
      vouched.add(glob(principal));
    }
  }

  private static Pattern glob(String text) {
    String parts =
        Arrays.stream(text.split("\\*", -1))
            .map(Pattern::quote)
            .reduce((before, after) -> before + ".*" + after)
            .orElseThrow();
    return Pattern.compile(parts);
  }

  private void revoke(String[] words) throws AccessException {
    if (words.length == 3 && words[1].equals("token")) {
      revokedTokens.add(words[2]);
    } else if (words.length == 3 && words[1].equals("principal")) {
      revokedPrincipals.put(words[2], Instant.MAX);
    } else if (words.length == 5 && words[1].equals("principal") && words[3].equals("before")) {
      try {
        revokedPrincipals.put(words[2], Instant.parse(words[4]));
      } catch (DateTimeParseException e) {
        throw wrong(Visible.of(words[4]) + " is no time: write one as 2026-11-27T10:00:00Z");
      }
    } else {
      throw wrong("write revoked principal NAME [before TIME], or revoked token ID");
    }
  }

  private AccessException wrong(String what) {
    return new AccessException(where + ", line " + line + ": " + what);
  }
}
