package io.retso.verify;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleNameStartingWith;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The judge is pure and knows nothing of what it judges. */
class VerifyArchitectureTest {
  private static final JavaClasses VERIFY =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.retso.verify");

  @Test
  void theCheckerKnowsHistoriesOnly() {
    classes()
        .that()
        .resideInAPackage("io.retso.verify.check..")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "java.lang..",
                "java.util..",
                "io.retso.verify.check..",
                "io.retso.verify.history.."))
        .check(VERIFY);
  }

  @Test
  void theCheckerReadsHistoriesWithoutFiles() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.verify.check..")
        .should()
        .dependOnClassesThat(
            simpleNameStartingWith("HistoryReader").or(simpleNameStartingWith("HistoryRecorder")))
        .orShould()
        .dependOnClassesThat(
            resideInAnyPackage("java.util.concurrent..").or(simpleNameStartingWith("Random")))
        .check(VERIFY);
  }

  @Test
  void historiesKnowNobody() {
    noClasses()
        .that()
        .resideInAPackage("io.retso.verify.history..")
        .should()
        .dependOnClassesThat(not(resideInAnyPackage("java..", "io.retso.verify.history..")))
        .check(VERIFY);
  }
}
