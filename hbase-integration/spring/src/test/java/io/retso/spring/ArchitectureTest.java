package io.retso.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Spring without Boot has transactions, too; and applications may use what is public only. */
class ArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  @Test
  void transactionsKnowNothingOfBoot() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.spring")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.retso.spring.boot..", "org.springframework.boot..")
        .check(MODULE);
  }

  /** It depends on no inside of the client, as if it were another project. */
  @Test
  void theClientIsUsedAsApplicationsDo() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.retso.client..",
            "io.retso.protocol..",
            "io.retso.hbase.transaction..",
            "io.retso.hbase.futures..",
            "io.retso.hbase.read..",
            "io.retso.hbase.write..",
            "io.retso.hbase.table..",
            "io.retso.hbase.layout..")
        .check(MODULE);
  }

  /** As in all modules; TextRulesTest of the bench may run before this one is built. */
  @Test
  void textsAreTheSameInEachCountryAndSayWhatHappened() {
    noClasses()
        .should()
        .accessTargetWhere(
            DescribedPredicate.describe(
                "goes by the default locale, or asks a foreign exception",
                ArchitectureTest::isWrong))
        .check(MODULE);
  }

  private static boolean isWrong(JavaAccess<?> access) {
    String called = access.getTarget().getFullName();
    return called.matches(
            "java\\.lang\\.String\\.(format(ted)?\\((java\\.lang\\.String,"
                + " )?\\[.*|to(Low|Upp)erCase\\(\\))")
        || called.matches("(?!io\\.retso).*(Exception|Throwable)\\.get(Localized)?Message\\(\\)");
  }
}
