"""Numbers of chapter 6."""

from tests.text.ties import cell, given

NUMBERS = {
    "at least twice the risk of the best block?": given("a question"),
    "in the setting $H=\\Psi=\\sigma^2=1$, $M=8$.": given("the setting of the exercise"),
    "with Adam, from forty random starts": cell(
        "torch.randn({}, 9, generator=torch.manual_seed(11))"
    ),
    "independent entries of size $0.3$ in": cell("z = ({} * torch.randn"),
}
