package io.retso;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.retso.text.ErrorText;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What people and programs read does not depend on where it was written; in all modules. */
class TextRulesTest {
  private static final List<String> MODULES =
      List.of(
          "retso-client",
          "retso-server",
          "hbase-integration/embedded",
          "hbase-integration",
          "hbase-integration/testkit",
          "hbase-integration/advise",
          "hbase-integration/admin",
          "bench/report",
          "bench/cluster",
          "bench/verify",
          "bench/workload",
          "bench/ycsb",
          "bench/chaos",
          "bench/measure",
          "bench/cli");

  /** Methods that have a variant with a locale. */
  private static final Set<String> FORMATTING =
      Set.of(
          "java.lang.String.format(java.lang.String, [Ljava.lang.Object;)",
          "java.lang.String.formatted([Ljava.lang.Object;)",
          "java.lang.String.toLowerCase()",
          "java.lang.String.toUpperCase()",
          "java.io.PrintStream.format(java.lang.String, [Ljava.lang.Object;)",
          "java.io.PrintStream.printf(java.lang.String, [Ljava.lang.Object;)",
          "java.io.PrintWriter.format(java.lang.String, [Ljava.lang.Object;)",
          "java.io.PrintWriter.printf(java.lang.String, [Ljava.lang.Object;)",
          "java.time.format.DateTimeFormatter.ofPattern(java.lang.String)");

  /** Classes whose objects take the default locale if they are given none. */
  private static final Set<String> FORMATTERS =
      Set.of(
          "java.util.Formatter",
          "java.util.Scanner",
          "java.text.DecimalFormat",
          "java.text.DecimalFormatSymbols",
          "java.text.NumberFormat",
          "java.text.SimpleDateFormat",
          "java.text.DateFormat",
          "java.text.MessageFormat",
          "java.text.Collator");

  private static JavaClasses all;

  @BeforeAll
  static void read() {
    List<Path> places =
        MODULES.stream().map(module -> Path.of("..", "..", module, "target", "classes")).toList();
    places.forEach(place -> assertTrue(Files.isDirectory(place), place + ": build it first"));
    all = new ClassFileImporter().importPaths(places);
  }

  /** Digits of the default locale would stand in JSON, in file names and in what scripts read. */
  @Test
  void nothingIsFormattedInTheDefaultLocale() {
    noClasses()
        .should()
        .accessTargetWhere(
            DescribedPredicate.describe("formats in the default locale", TextRulesTest::formats))
        .because("digits and letters differ from country to country: name Locale.ROOT")
        .check(all);
  }

  private static boolean formats(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    String called = access.getTarget().getFullName();
    return FORMATTING.contains(called)
        || FORMATTERS.contains(owner) && !called.contains("java.util.Locale");
  }

  /** A foreign exception's message may be null, or a path alone. */
  @Test
  void onlyOurOwnExceptionsAreTakenAtTheirWord() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(ErrorText.class)
        .should()
        .accessTargetWhere(
            DescribedPredicate.describe(
                "asks a foreign exception for its message", TextRulesTest::asksForAMessage))
        .because("ErrorText.of says what happened if the exception does not")
        .check(all);
  }

  private static boolean asksForAMessage(JavaAccess<?> access) {
    JavaClass owner = access.getTargetOwner();
    return access.getTarget().getFullName().matches(".*\\.get(Localized)?Message\\(\\)")
        && !access.getOrigin().getName().equals("getMessage") // asks its own superclass
        && !owner.getPackageName().startsWith("io.retso")
        && owner.isAssignableTo(Throwable.class);
  }
}
