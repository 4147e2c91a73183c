import type { Reporter, TestModule, Vitest } from 'vitest/node';

/**
 * Prints the line that CI counts, after everything else: `N passed, N failed`. A skipped test has failed unless
 * `-t` chose among them; so has a file that did not load or whose hooks broke, and an error that no test caught.
 */
export default class ClosingLine implements Reporter {
  private chosen = false;

  onInit(vitest: Vitest): void {
    this.chosen = vitest.config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const perModule = modules.map((module) => {
      const states = [...module.children.allTests()].map((test) => test.result().state);
      const passed = states.filter((state) => state === 'passed').length;
      const failed = states.filter(
        (state) => state !== 'passed' && !(this.chosen && state === 'skipped'),
      ).length;
      return { passed, failed: failed === 0 && !module.ok() ? 1 : failed };
    });
    const passed = perModule.reduce((sum, module) => sum + module.passed, 0);
    const failed = perModule.reduce((sum, module) => sum + module.failed, unhandled.length);
    if (failed > 0) process.exitCode = 1;
    process.on('exit', () => console.log(`${passed} passed, ${failed} failed`));
  }
}
